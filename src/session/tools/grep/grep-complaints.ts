/**
 * What grep says of files that it could not read, within limits.
 *
 * Its lines are `grep: PATH: REASON`; what it says of a pattern names no path.
 */
import { StringDecoder } from "node:string_decoder";

export interface Unread {
  /** The first of them. */
  readonly paths: readonly string[];
  readonly total: number;
}

const MOST_PATHS = 20;
const LONGEST_LINE = 8192;
const LINE = /^grep: (.*): ([^:]+)$/;

export class GrepComplaints {
  readonly #named: string;
  readonly #decoder = new StringDecoder("utf8");
  readonly #paths: string[] = [];
  #total = 0;
  #part = "";
  #ofNamed: string | undefined;

  /** `named` is where it was told to look. */
  constructor(named: string) {
    this.#named = named.replace(/\/+$/, "");
  }

  get unread(): Unread {
    return { paths: this.#paths, total: this.#total };
  }

  /** Why it could not look where it was told to; nothing where it could. */
  get ofNamed(): string | undefined {
    return this.#ofNamed;
  }

  add(chunk: Uint8Array): void {
    const lines = (this.#part + this.#decoder.write(Buffer.from(chunk))).split("\n");
    this.#part = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    const [, path = "", reason = ""] = LINE.exec(line) ?? [];
    if (path.endsWith(": warning")) return;
    if (path.replace(/\/+$/, "") === this.#named) this.#ofNamed = reason;
    else if (path.startsWith(`${this.#named}/`)) {
      this.#total += 1;
      if (this.#paths.length < MOST_PATHS) this.#paths.push(path.replace(/^\.\//, ""));
    }
  }
}
