/**
 * A file in an error line of a common program, and what was wanted from it.
 *
 * The forms are those of real programs; `test/sandbox/receipt/error-lines.ts`
 * keeps what they printed. What is read here is a guess: whoever uses it asks the policy.
 */
import { type QuotedText, quotedTexts } from "./quoted-text.ts";

export interface FileMention {
  readonly kind: "file";
  /** As written, relative or absolute; two for a rename. */
  readonly paths: readonly string[];
  readonly error: FileError;
  readonly wanted: "read" | "write" | "unknown";
}

type FileError = "readOnly" | "refused" | "missing" | "busy";

const ERRORS: readonly [FileError, string][] = [
  ["readOnly", "read-only file ?system"],
  ["refused", "permission denied|operation not permitted"],
  ["missing", "no such file or directory"],
  ["busy", "device or resource busy"],
];
const PHRASE = new RegExp(ERRORS.map(([, words]) => `(${words})`).join("|"), "gi");

/** Reads the last error of a line. Nothing where the line has none or names no file. */
export function fileMention(line: string): FileMention | undefined {
  const found = [...line.matchAll(PHRASE)].at(-1);
  if (found === undefined) return undefined;
  const [phrase, ...groups] = found;
  const error = ERRORS[groups.findIndex((group) => group !== undefined)]?.[0] ?? "refused";
  const before = line.slice(0, found.index);
  const after = line.slice(found.index + phrase.length);
  const paths = pathsBehind(after) ?? pathsBefore(before);
  const named = paths?.filter((path) => path !== "" && !path.includes("\ufffd")) ?? [];
  if (named.length === 0) return undefined;
  const around = (paths ?? []).reduce((text, path) => text.replace(path, ""), before + after);
  // A copy changes nothing of what it is made from.
  const isCopied = error === "readOnly" && named.length === 2 && COPYING.test(around);
  const meant = isCopied ? named.slice(1) : named;
  return { kind: "file", paths: meant, error, wanted: wantedBy(error, around) };
}

const COPYING = /\b(?:copy|copying|copyfile)\b/i;

/** Node writes the path behind the error and escapes nothing; Python and Rust escape. */
function pathsBehind(after: string): string[] | undefined {
  const opening = /^, \w+ '/.exec(after)?.[0];
  if (opening !== undefined) {
    const end = after.lastIndexOf("'");
    return end < opening.length ? undefined : after.slice(opening.length, end).split("' -> '");
  }
  const quoted = /^: ['"]|^ \(os error \d+\) at path "/.exec(after)?.[0];
  if (quoted === undefined) return undefined;
  const rest = after.slice(quoted.length - 1);
  return joined(quotedTexts(rest, "backslash"), rest);
}

/** The name that ends where the error begins: in quotes, else the last words of the line. */
function pathsBefore(before: string): string[] | undefined {
  const text = before
    .trimEnd()
    .replace(/(?:\[Errno -?\d{1,4}\]|\bE[A-Z]{2,15}:)$/, "")
    .trimEnd()
    .replace(/[:(]$/, "")
    .trimEnd()
    .replace(/ for (?:reading|writing)$/, "")
    .replace(/ failed$/, "");
  const quoted = quotedTexts(text, "shell");
  const last = quoted.findIndex(({ end }) => end === text.length);
  if (last !== -1) {
    const pair = last > 0 && joins(quoted[last - 1], quoted[last], text);
    return quoted.slice(pair ? last - 1 : last).map((one) => one.text);
  }
  const bare = bareName(text.split(": "));
  return bare === undefined ? undefined : [bare];
}

/** The first name, and the next if the first was to become it. */
function joined([first, next]: readonly QuotedText[], text: string): string[] {
  const names = joins(first, next, text) ? [first, next] : [first];
  return names.flatMap((one) => (one === undefined ? [] : [one.text]));
}

function joins(from: QuotedText | undefined, to: QuotedText | undefined, text: string): boolean {
  if (from === undefined || to === undefined) return false;
  return /^ (?:to|->|and) $/.test(text.slice(from.end, to.start));
}

const FAILING = "(?:can ?not|can't|could not|couldn't|unable to|failed to|failed|error|while) ";
const DOING =
  "(?:open(?:ing)?|read(?:ing)?|creat(?:e|ing)|writ(?:e|ing)|mkdir|lock|remov(?:e|ing)|unlink|stat|access|cd to|run|exec(?:ute)?|rename|chmod|chown|symlink|rmdir|lstat|unlinkat|openat|do inplace edit on|mak(?:e|ing))";
const OBJECT =
  "(?:(?:the|a|temporary|temp|output|input|config|regular|lock|file|directory|dir|folder|named|for) )*";
const SENTENCE = new RegExp(`^(?:${FAILING})*${DOING} ${OBJECT}`, "i");
/** A complaint without its object; the object stands before it: `tar: a: Cannot open: …`. */
const COMPLAINT = new RegExp(
  `^(?:${FAILING})+(?:${DOING})?(?: temp name)?$|^(?:open )?failed$`,
  "i",
);

/** Without quotes a name is what is left of the last part that is not only a complaint. */
function bareName(parts: readonly string[]): string | undefined {
  const at = parts.findLastIndex((part, index) => index === 0 || !COMPLAINT.test(part));
  const part = parts[at] ?? "";
  const name = part.replace(SENTENCE, "");
  // A word alone at the start of a line is more often a heading than a file.
  const certain = at > 0 || name !== part || (name.includes("/") && !/\s/.test(name));
  return certain && !/^(?:line )?\d*$/.test(name) ? name : undefined;
}

const READING =
  /for reading|\b(?:stat|lstat|access|scandir|readlink|can't read|cannot read|open directory|can't open file|FileNotFoundError)\b/i;
const WRITING =
  /for writing|\b(?:creat\w*|touch|remov\w*|unlink\w*|delet\w*|writ\w*|mkdir|rmdir|renam\w*|mov\w*|link|symlink|chang\w*|lock|truncat\w*|sav\w*|mkfifo|mknod|mkdtemp|copyfile|chmod|chown|utimes?|tee|inplace|output|temporary|temp)\b/i;

function wantedBy(error: FileError, around: string): FileMention["wanted"] {
  if (error === "readOnly" || error === "busy") return "write";
  if (READING.test(around)) return "read";
  return WRITING.test(around) ? "write" : "unknown";
}
