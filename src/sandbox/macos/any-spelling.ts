/**
 * Regular expressions for names on a disk that does not tell spellings apart.
 *
 * macOS finds `.git` under `.GIT`, and `é` under `e` with an accent behind it,
 * while Seatbelt compares the bytes that are on the disk. A rule that takes
 * something away therefore holds for every spelling; a grant holds for one.
 * Seatbelt may read bytes or characters, so no class holds more than ASCII.
 */
import type { AbsolutePath } from "../../policy/index.ts";

/** Any number of names further down. */
export const DEEPER = "(/[^/]+)*";

/** Letters that fold into another one without being its upper case. */
const FOLDED: Readonly<Record<string, string>> = { s: "\u017f", k: "\u212a" };

/** A path in any spelling, alone or with all that is below it. */
export function anySpelling(path: AbsolutePath, reach: "alone" | "below"): string {
  if (path === "/") return reach === "below" ? "^/" : "^/$";
  return `^${inAnySpelling(path)}${reach === "below" ? DEEPER : ""}$`;
}

/** A text in any spelling, as a part of an expression. */
export function inAnySpelling(text: string): string {
  return [...text.normalize("NFC")].map((char) => oneOf(spellingsOf(char))).join("");
}

/** Every way to write a character that the disk takes for the same one. */
export function spellingsOf(char: string): string[] {
  const lower = char.toLowerCase();
  const cased = [char, lower, char.toUpperCase(), ...(FOLDED[lower] ?? "")];
  return [...new Set(cased.flatMap((one) => [one, one.normalize("NFC"), one.normalize("NFD")]))];
}

/** One of several texts. What a bracket could misread stands beside it, behind a backslash. */
export function oneOf(texts: readonly string[]): string {
  const [plain, odd] = [texts.filter(isPlain), texts.filter((text) => !isPlain(text))];
  const [only] = plain;
  if (plain.length === 1 && odd.length === 0 && only !== undefined) return only;
  const bracket = plain.length === 0 ? [] : [`[${plain.join("")}]`];
  const all = [...bracket, ...odd.map(escapeRegex)];
  return odd.length === 0 || all.length === 1 ? all.join("") : `(${all.join("|")})`;
}

function isPlain(text: string): boolean {
  return /^[A-Za-z0-9 !#%&',:;<=>@_`~/"]$/.test(text);
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
