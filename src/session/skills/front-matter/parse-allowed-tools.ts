/**
 * `allowed-tools` of a skill, in each of the shapes that are in use: words, words with commas, a list.
 *
 * A pattern such as `Bash(git:*)` is one word. Throws a sentence on anything else, and on nothing: an
 * entry that was meant to restrict must not be read as if it were not there.
 */
export function parseAllowedTools(value: unknown): readonly string[] {
  const words = Array.isArray(value) ? value : wordsOf(value);
  return words.map((word) => {
    if (typeof word !== "string" || !WORD.test(word.trim())) {
      throw new Error(`${JSON.stringify(word)} names no tool, expected a name`);
    }
    return word.trim();
  });
}

/** A name, perhaps with something in brackets behind it. */
const WORD = /^[\w.:*-]{1,128}(\([^()\n]{0,512}\))?$/;
const WORDS = /[^\s,()]+(?:\([^()]*\))?/g;

function wordsOf(value: unknown): readonly string[] {
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "") throw new Error("it is empty, expected names of tools or an empty list");
  if (text.replace(WORDS, "").replace(/[\s,]/g, "") !== "") {
    throw new Error("it is no list of names, expected names of tools");
  }
  return text.match(WORDS) ?? [];
}
