import type { JsonLimits } from "../json/json-limits.ts";
import { scanStructure } from "../json/scan-structure.ts";

export interface TextLimits {
  readonly json: JsonLimits;
  /** No bound when absent. */
  readonly maxBytes: number | undefined;
  /** ASCII that still comes to it, inside of a string. */
  readonly more?: number;
}

/**
 * Throws for a text that the other end, reading with the same limits, would refuse. It is one of
 * `JSON.stringify`, which writes no name twice and escapes none that is plain.
 */
export function checkText(text: string, { json, maxBytes, more = 0 }: TextLimits): void {
  const length = text.length + more;
  if (length > json.maxLength) throw tooLong(length, "characters", json.maxLength);
  if (maxBytes !== undefined && text.length * LONGEST_UNIT_BYTES + more > maxBytes) {
    const bytes = Buffer.byteLength(text) + more;
    if (bytes > maxBytes) throw tooLong(bytes, "bytes", maxBytes);
  }
  if (mayBeRefused(text, json)) scanStructure(text, json);
}

/** Each level, and each value but the first, takes two characters at least; most messages have fewer. */
function mayBeRefused(text: string, { maxDepth, maxValues }: JsonLimits): boolean {
  return text.length >= 2 * Math.min(maxDepth, maxValues) || text.includes('"__proto__"');
}

/** The most bytes one UTF-16 unit takes in UTF-8. */
const LONGEST_UNIT_BYTES = 3;

function tooLong(length: number, unit: string, most: number): Error {
  return new Error(`Cannot send the message: it has ${length} ${unit}, expected at most ${most}`);
}
