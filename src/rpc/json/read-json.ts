/**
 * The one JSON reader.
 *
 * `JSON.parse` keeps the last of two equal members and has no limits, so two
 * programs can read one text differently and a small text can become a large
 * heap. The structure is therefore scanned first, and only a text that passed
 * is given to the native parser, which stays the judge of syntax.
 */
import { JsonError } from "./json-error.ts";
import type { JsonLimits } from "./json-limits.ts";
import { scanStructure } from "./scan-structure.ts";

/** Reads `text`, or throws {@link JsonError} when it is malformed, ambiguous or over a limit. */
export function readJson(text: string, limits: JsonLimits): unknown {
  if (text.length > limits.maxLength) {
    throw new JsonError(
      "tooLong",
      `Cannot read JSON: the text has ${text.length} characters, expected at most ${limits.maxLength}`,
    );
  }
  scanStructure(text, limits);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : "malformed text";
    throw new JsonError("syntax", `Cannot read JSON: ${detail}`, { cause });
  }
}
