import type { ModelEvent } from "../../model.ts";

/** Words, in the pieces in which they come. */
export type DeltaEvent = Extract<ModelEvent, { delta: string }>;

/** Words of a model, of which none ends within a character: the half waits for the rest, and goes where none comes. */
export class WholeDeltas {
  readonly #halves = new Map<string, string>();

  /** What can be told now. */
  *take(event: DeltaEvent): Generator<DeltaEvent> {
    const name = nameOf(event);
    const text = (this.#halves.get(name) ?? "") + event.delta;
    const isCut = /[\ud800-\udbff]$/.test(text);
    if (isCut) this.#halves.set(name, text.slice(-1));
    else this.#halves.delete(name);
    const delta = (isCut ? text.slice(0, -1) : text).toWellFormed();
    if (delta !== "") yield { ...event, delta };
  }
}

function nameOf(event: DeltaEvent): string {
  if (event.kind === "text") return `text ${event.itemId}`;
  return `${event.part} ${event.index} ${event.itemId}`;
}
