import type { DeltaEvent } from "./whole-deltas.ts";

/** Some part of an answer of the Responses API, as it came over the wire. */
interface RawPart {
  readonly type?: unknown;
  readonly output_index?: unknown;
  readonly item_id?: unknown;
  readonly delta?: unknown;
  readonly text?: unknown;
  readonly item?: RawItem | null;
}

interface RawItem {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly content?: unknown;
}

/** Words of the Responses API that came whole and in no pieces: the SDK knows pieces only, and would lose them. */
export class UnstreamedTexts {
  /** Items of which a piece came, by their place and by their name; some providers leave out the one or change the other. */
  readonly #streamed = new Set<string>();
  /** Items of which a whole text was told. */
  readonly #told = new Set<string>();

  /** Heeds one part; the answer is what nobody was told. */
  *take(raw: unknown): Generator<DeltaEvent> {
    const part: RawPart = Object(raw);
    switch (part.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        if (part.delta !== "") add(this.#streamed, namesOf(part));
        return;
      case "response.output_text.done":
        if (!has(this.#streamed, namesOf(part))) yield* this.#tell(part, textOf(part.text));
        return;
      case "response.output_item.done":
        if (part.item?.type === "message") yield* this.#message(part, part.item);
    }
  }

  *#message(part: RawPart, { id, content }: RawItem): Generator<DeltaEvent> {
    const message = { ...part, item_id: id };
    const names = namesOf(message);
    if (has(this.#streamed, names) || has(this.#told, names)) return;
    yield* this.#tell(message, textsOf(content).join(""));
  }

  *#tell(part: RawPart, delta: string): Generator<DeltaEvent> {
    if (delta === "") return;
    add(this.#told, namesOf(part));
    yield { kind: "text", itemId: textOf(part.item_id) || `item ${part.output_index}`, delta };
  }
}

function namesOf({ output_index, item_id }: RawPart): string[] {
  return [
    ...(typeof output_index === "number" ? [`at ${output_index}`] : []),
    ...(typeof item_id === "string" ? [`of ${item_id}`] : []),
  ];
}

function add(names: Set<string>, more: readonly string[]): void {
  for (const name of more) names.add(name);
}

function has(names: ReadonlySet<string>, some: readonly string[]): boolean {
  return some.some((name) => names.has(name));
}

function textsOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.map((one) => textOf(Object(one).text) || textOf(Object(one).refusal));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
