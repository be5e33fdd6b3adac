import { isDeepStrictEqual } from "node:util";
import { intentOfWire } from "../../intent/intent-of-wire.ts";
import type { SandboxIntent } from "../../intent/sandbox-intent.ts";

/** How many are remembered, and how long each may be. */
const MOST = 64;
const LONGEST = 32 * 1024;

/** Where two values may have one text: a number too large for JSON is written as null, and -0 as 0. */
const AMBIGUOUS = /(?:^|[:,[])(?:null|0)/;

interface Seen {
  readonly wire: unknown;
  /** Whether its text is that of no other value. */
  readonly isPlain: boolean;
  readonly intent: SandboxIntent;
}

/**
 * The intents that came lately, so that one which comes again is the same value.
 *
 * A client sends its intent with every file. Whoever knows the value need not
 * read it, bind it and name it again.
 */
export class SeenIntents {
  readonly #seen = new Map<string, Seen>();

  /** What {@link intentOfWire} reads. Only what it takes is remembered. */
  of(sandbox: unknown): SandboxIntent {
    const wire = sandbox ?? null;
    const text = JSON.stringify(wire);
    const seen = this.#seen.get(text);
    if (seen?.isPlain || (seen && isDeepStrictEqual(seen.wire, wire))) return seen.intent;
    const intent = intentOfWire(sandbox, "client");
    const isPlain = !AMBIGUOUS.test(text);
    if (text.length <= LONGEST) this.#keep(text, { wire, isPlain, intent });
    return intent;
  }

  #keep(text: string, seen: Seen): void {
    const [oldest] = this.#seen.keys();
    if (this.#seen.size >= MOST && oldest !== undefined) this.#seen.delete(oldest);
    this.#seen.set(text, seen);
  }
}
