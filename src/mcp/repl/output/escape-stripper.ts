/**
 * Takes terminal escapes out of a text that arrives in pieces.
 *
 * Colours, titles and cursor moves mean nothing to a reader of text. Text is
 * never taken with them: of a sequence that does not end as one must, only the
 * introducer goes (ECMA-48, 5.4 and 8.3).
 */

/** Longest sequence that is waited for. */
const MAX_SEQUENCE = 4096;
/** ESC, and the introducers of one character: DCS, SOS, CSI, OSC, PM, APC. */
const INTRODUCERS = "\u001b\u0090\u0098\u009b\u009d\u009e\u009f";
const NEXT_INTRODUCER = new RegExp(`[${INTRODUCERS}]`, "g");
const CSI = "\u009b";
/** What makes a string of a sequence when it follows ESC. */
const STRINGS = "PX]^_";
const STRING_ENDS = "\u0007\u009c";

type State = "text" | "escape" | "csi" | "string" | "stringEnd";

/** Where a character leads. `again`: it is read once more there. `text`: what was held is text. */
interface Step {
  readonly state: State;
  readonly held?: string;
  readonly text?: string;
  readonly again?: boolean;
}

const DONE: Step = { state: "text" };

export class EscapeStripper {
  #state: State = "text";
  #held = "";

  /** The text that is certain once `text` has arrived. */
  write(text: string): string {
    const parts: string[] = [];
    for (let at = 0; at < text.length; ) {
      if (this.#state === "text") {
        const next = introducerFrom(text, at);
        parts.push(text.slice(at, next));
        if (next < text.length) this.#state = stateAfter(text.charAt(next));
        at = next + 1;
        continue;
      }
      const step = STEPS[this.#state](text.charAt(at), this.#held);
      this.#state = step.state;
      this.#held = step.held ?? "";
      if (step.text) parts.push(step.text);
      if (!step.again) at += 1;
    }
    return parts.join("");
  }

  /** What was held, which no end will come for. */
  seal(): string {
    const held = this.#held;
    this.#held = "";
    this.#state = "text";
    return held;
  }
}

const STEPS: Readonly<Record<Exclude<State, "text">, (char: string, held: string) => Step>> = {
  escape(char, held) {
    if (isBetween(char, " ", "/")) return hold("escape", held + char);
    if (held === "" && char === "[") return { state: "csi" };
    if (held === "" && STRINGS.includes(char)) return { state: "string" };
    return isBetween(char, "0", "~") ? DONE : broken(held);
  },
  csi(char, held) {
    if (isBetween(char, " ", "?")) return hold("csi", held + char);
    return isBetween(char, "@", "~") ? DONE : broken(held);
  },
  string(char, held) {
    if (STRING_ENDS.includes(char)) return DONE;
    if (char === "\u001b") return { state: "stringEnd", held };
    const isBroken = char === "\n" || INTRODUCERS.includes(char);
    return isBroken ? broken(held) : hold("string", held + char);
  },
  stringEnd(char, held) {
    return char === "\\" ? DONE : { state: "escape", text: held, again: true };
  },
};

function hold(state: State, held: string): Step {
  return held.length > MAX_SEQUENCE ? { state: "text", text: held } : { state, held };
}

function broken(held: string): Step {
  return { state: "text", text: held, again: true };
}

function stateAfter(introducer: string): State {
  if (introducer === "\u001b") return "escape";
  return introducer === CSI ? "csi" : "string";
}

function introducerFrom(text: string, at: number): number {
  NEXT_INTRODUCER.lastIndex = at;
  return NEXT_INTRODUCER.exec(text)?.index ?? text.length;
}

function isBetween(char: string, low: string, high: string): boolean {
  return char >= low && char <= high;
}
