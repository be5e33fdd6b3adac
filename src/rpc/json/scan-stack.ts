/**
 * The open objects and arrays of a scan, and the names seen in each.
 *
 * Frames are kept after they close and used again at the same depth, so a text
 * of many small objects does not allocate a set for each.
 */
interface Frame {
  kind: "object" | "array";
  readonly names: Set<string>;
  /** The member being read. */
  name: string;
  /** The element being read. */
  index: number;
  expectsName: boolean;
}

const LONGEST_PATH = 200;

/** Where a scan stands, with enough memory to name the place. */
export class ScanStack {
  readonly #frames: Frame[] = [];
  #depth = 0;

  get depth(): number {
    return this.#depth;
  }

  /** True where the next string is a member name rather than a value. */
  get expectsName(): boolean {
    return this.#top()?.expectsName ?? false;
  }

  push(kind: "object" | "array"): void {
    let frame = this.#frames[this.#depth];
    if (!frame) {
      frame = { kind, names: new Set(), name: "", index: 0, expectsName: false };
      this.#frames.push(frame);
    }
    if (frame.names.size > 0) frame.names.clear();
    frame.kind = kind;
    frame.name = "";
    frame.index = 0;
    frame.expectsName = kind === "object";
    this.#depth += 1;
  }

  /** Tolerates a closing bracket too many; the parser refuses it later. */
  pop(): void {
    if (this.#depth > 0) this.#depth -= 1;
  }

  next(): void {
    const top = this.#top();
    if (!top) return;
    top.index += 1;
    top.expectsName = top.kind === "object";
  }

  /** Enters the member `name`; false if the object already has it. */
  name(name: string): boolean {
    const top = this.#top();
    if (!top) return true;
    if (top.names.has(name)) return false;
    top.names.add(name);
    top.name = name;
    top.expectsName = false;
    return true;
  }

  /** The place in the text, such as `$.params.items[3]`. */
  path(): string {
    const open = this.#frames.slice(0, this.#depth);
    const parts = open.map((frame) =>
      frame.kind === "array" ? `[${frame.index}]` : memberPart(frame.name),
    );
    const path = `$${parts.join("")}`;
    return path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  }

  #top(): Frame | undefined {
    return this.#depth === 0 ? undefined : this.#frames[this.#depth - 1];
  }
}

function memberPart(name: string): string {
  if (name === "") return "";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name.slice(0, 80))}]`;
}
