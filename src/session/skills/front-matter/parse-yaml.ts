import { parseDocument } from "yaml";

/** Front matter takes a screen; more is a mistake or an attack. */
const MOST_CHARACTERS = 16_384;

/** Whether this is more than anybody writes above a text. */
export function isTooLong(text: string): boolean {
  return text.length > MOST_CHARACTERS;
}

/**
 * A YAML document as a plain value. Throws a sentence on what is none.
 *
 * No aliases, so that a few lines cannot become a million values, no merge keys, no tags but those of
 * the core schema, no key twice and no second document.
 */
export function parseYaml(text: string): unknown {
  if (isTooLong(text)) {
    throw new Error(`it has ${text.length} characters, expected at most ${MOST_CHARACTERS}`);
  }
  const document = parseDocument(text, {
    ...{ version: "1.2", schema: "core", merge: false, uniqueKeys: true, strict: true },
    // Where it is silent, all that comes after a first document is left out without a word.
    ...{ logLevel: "error", prettyErrors: false },
  });
  const [fault = document.warnings[0]] = document.errors;
  if (fault !== undefined) throw new Error(firstLine(fault.message));
  return document.toJS({ maxAliasCount: 0 });
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}
