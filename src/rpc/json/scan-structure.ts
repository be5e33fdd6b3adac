/**
 * One pass over a text that counts values, measures depth and compares member
 * names.
 *
 * It is exact for JSON and merely harmless for anything else: whatever it lets
 * through goes to `JSON.parse`. It never recurses, and it crosses a string with
 * `indexOf`, so a message that is one long string costs about one search.
 */
import { JsonError, type JsonErrorCode } from "./json-error.ts";
import type { JsonLimits } from "./json-limits.ts";
import { ScanStack } from "./scan-stack.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Throws {@link JsonError} for a duplicate or forbidden name, and for a text over a limit. */
export function scanStructure(text: string, limits: JsonLimits): void {
  const scan = new Scan(limits);
  let at = 0;
  while (at < text.length) at = scan.step(text, at);
}

class Scan {
  readonly #limits: JsonLimits;
  readonly #stack = new ScanStack();
  #values = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Consumes the token at `at` and returns where the next one starts. */
  step(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    switch (unit) {
      case QUOTE:
        return this.#string(text, at);
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#open(unit === OPEN_OBJECT ? "object" : "array");
        return at + 1;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#stack.pop();
        return at + 1;
      case COMMA:
        this.#stack.next();
        return at + 1;
      default:
        return unit <= SPACE || unit === COLON ? at + 1 : this.#scalar(text, at);
    }
  }

  #open(kind: "object" | "array"): void {
    this.#count();
    if (this.#stack.depth >= this.#limits.maxDepth) {
      this.#refuse("tooDeep", `the nesting is deeper than ${this.#limits.maxDepth}`);
    }
    this.#stack.push(kind);
  }

  #scalar(text: string, start: number): number {
    this.#count();
    let at = start + 1;
    while (at < text.length && !endsScalar(text.charCodeAt(at))) at += 1;
    return at;
  }

  #string(text: string, start: number): number {
    const end = endOfString(text, start);
    if (this.#stack.expectsName) this.#name(text, { start, end });
    else this.#count();
    return end;
  }

  #name(text: string, span: { readonly start: number; readonly end: number }): void {
    const name = nameOf(text.slice(span.start, span.end));
    if (name === "__proto__") this.#refuse("forbiddenKey", `"__proto__" is not a member name`);
    if (!this.#stack.name(name)) {
      this.#refuse("duplicateKey", `the member ${JSON.stringify(name.slice(0, 80))} occurs twice`);
    }
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > this.#limits.maxValues) {
      this.#refuse("tooManyValues", `there are more than ${this.#limits.maxValues} values`);
    }
  }

  #refuse(code: JsonErrorCode, what: string): never {
    throw new JsonError(code, `Cannot read JSON: ${what}, at ${this.#stack.path()}`);
  }
}

/** The index after the closing quote. Runs of backslashes lie between quotes, so the walk is linear. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** The name a quoted text stands for: `"a"` and `"\u0061"` are one member. */
function nameOf(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch (cause) {
    throw new JsonError("syntax", "Cannot read JSON: a member name has a bad escape", { cause });
  }
}

function endsScalar(unit: number): boolean {
  return unit <= SPACE || ENDS_SCALAR.has(unit);
}

const ENDS_SCALAR = new Set([
  QUOTE,
  COMMA,
  COLON,
  OPEN_ARRAY,
  CLOSE_ARRAY,
  OPEN_OBJECT,
  CLOSE_OBJECT,
]);
