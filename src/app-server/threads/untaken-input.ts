/**
 * What was said to a turn that runs, until it takes that up.
 *
 * It is in no store before. A turn may be long, or wait for somebody's answer, so there is a bound.
 */
import type { SaidInput } from "../../agent/index.ts";
import { RpcError } from "../../rpc/index.ts";

/** As much as may be said at once, several times over. */
const MOST_CHARS = 8 << 20;
/** What an input takes besides its text. */
const AROUND_AN_INPUT = 1 << 10;

export class UntakenInput {
  #all: SaidInput[] = [];

  /** Throws `RpcError` where there is no room for it. */
  refuse(input: SaidInput): void {
    const length = [...this.#all, input].reduce((sum, one) => sum + lengthOf(one), 0);
    if (length <= MOST_CHARS) return;
    const what = `${this.#all.length} inputs wait until the turn takes them up, expected fewer or shorter ones`;
    throw new RpcError("invalidRequest", `Cannot add to the turn: ${what}`);
  }

  add(input: SaidInput): void {
    this.refuse(input);
    this.#all.push(input);
  }

  takeAll(): readonly SaidInput[] {
    const taken = this.#all;
    this.#all = [];
    return taken;
  }

  takeFirst(): SaidInput | undefined {
    return this.#all.shift();
  }
}

function lengthOf({ content }: SaidInput): number {
  const lengths = content.map((one) =>
    one.type === "text" ? one.text.length : JSON.stringify(one.value).length,
  );
  return lengths.reduce((sum, length) => sum + length, AROUND_AN_INPUT);
}
