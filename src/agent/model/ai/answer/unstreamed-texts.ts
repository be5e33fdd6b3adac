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
  /** What was told of an item, under the same names. */
  readonly #told = new Map<string, string>();

  /** Heeds one part; the answer is what nobody was told. */
  *take(raw: unknown): Generator<DeltaEvent> {
    const part: RawPart = Object(raw);
    switch (part.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#hear(part, textOf(part.delta));
        return;
      case "response.output_text.done":
        // What comes whole behind pieces is told with its item: no place says which of them it follows.
        if (!namesOf(part).some((name) => this.#streamed.has(name))) {
          yield* this.#tell(part, textOf(part.text));
        }
        return;
      case "response.output_item.done":
        if (part.item?.type === "message") yield* this.#message(part, part.item);
    }
  }

  *#message(part: RawPart, { id, content }: RawItem): Generator<DeltaEvent> {
    const message = { ...part, item_id: id };
    const whole = textsOf(content).join("");
    const [told = ""] = namesOf(message).flatMap((name) => this.#told.get(name) ?? []);
    if (whole.startsWith(told)) yield* this.#tell(message, whole.slice(told.length));
  }

  #hear(part: RawPart, delta: string): void {
    if (delta === "") return;
    for (const name of namesOf(part)) this.#streamed.add(name);
    this.#keep(part, delta);
  }

  *#tell(part: RawPart, delta: string): Generator<DeltaEvent> {
    if (delta === "") return;
    this.#keep(part, delta);
    yield { kind: "text", itemId: textOf(part.item_id) || `item ${part.output_index}`, delta };
  }

  #keep(part: RawPart, delta: string): void {
    for (const name of namesOf(part)) this.#told.set(name, (this.#told.get(name) ?? "") + delta);
  }
}

function namesOf({ output_index, item_id }: RawPart): string[] {
  return [
    ...(typeof output_index === "number" ? [`at ${output_index}`] : []),
    ...(typeof item_id === "string" ? [`of ${item_id}`] : []),
  ];
}

function textsOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.map((one) => textOf(Object(one).text) || textOf(Object(one).refusal));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
