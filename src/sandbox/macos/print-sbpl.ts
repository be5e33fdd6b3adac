/**
 * Prints a policy tree: the one place that knows how Seatbelt quotes.
 *
 * The language is read by a small Scheme. A text is quoted with `\"` and `\\`;
 * a regular expression is `#"…"`, in which a backslash means itself and a quote
 * cannot stand, so one that holds a quote is printed as a text, which the
 * `regex` filter takes as well.
 */
import { SandboxError } from "../sandbox-error.ts";
import type { Sbpl } from "./sbpl.ts";

const WIDTH = 100;

/** The text of one node. Throws {@link SandboxError} on what no text can hold. */
export function printSbpl(node: Sbpl, indent = ""): string {
  switch (node.kind) {
    case "word":
      return printWord(node.word);
    case "text":
      return printText(node.text);
    case "regex":
      return isPlainRegex(node.pattern) ? `#"${node.pattern}"` : printText(node.pattern);
    case "list":
      return printList(node.items, indent);
  }
}

function printList(items: readonly Sbpl[], indent: string): string {
  const deeper = `${indent}  `;
  const parts = items.map((item) => printSbpl(item, deeper));
  const line = `(${parts.join(" ")})`;
  if (indent.length + line.length <= WIDTH) return line;
  // Words stay on the first line: they are the verdict and its operations.
  const words = items.findIndex(({ kind }) => kind !== "word");
  const split = words === -1 ? items.length : words;
  const head = parts.slice(0, split).join(" ");
  return `(${head}${parts
    .slice(split)
    .map((part) => `\n${deeper}${part}`)
    .join("")})`;
}

function printWord(word: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9*_-]*$/.test(word)) return word;
  throw unprintable(word, "a word of the policy language");
}

function printText(text: string): string {
  if (text.includes("\0") || !text.isWellFormed()) throw unprintable(text, "text without NUL");
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Only what every reader of `#"…"` takes the same way; a last backslash would take the quote with it. */
function isPlainRegex(pattern: string): boolean {
  return /^[ !#-~]*$/.test(pattern) && !pattern.endsWith("\\");
}

function unprintable(given: string, expected: string): SandboxError {
  return new SandboxError(
    "unenforceableRule",
    `Cannot write ${JSON.stringify(given)} into a policy: expected ${expected}`,
  );
}
