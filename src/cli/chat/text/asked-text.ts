/**
 * How text of strangers is shown to somebody who is to agree to it: all of it.
 *
 * What has the form of a secret stays, for a form can be given to anything. Only values that this
 * process holds are taken out, which a stranger would have to know to hide something behind them.
 */
import { NeutralStream } from "./neutral-stream.ts";
import { withoutValues } from "./secrets.ts";
import type { Mark } from "./shown-text.ts";

/** A whole text, each line under the mark. */
export function askedText(text: string, mark: Mark, secrets: readonly string[]): string {
  const neutral = new NeutralStream();
  const plain = neutral.write(writtenOut(withoutValues(text, secrets))) + neutral.end();
  const lines = plain.replace(/\n$/, "").split("\n");
  return lines.map((line) => `${mark}${line}\n`).join("");
}

/** Whether something of the texts is not shown. */
export function hidesSecret(texts: readonly string[], secrets: readonly string[]): boolean {
  return texts.some((text) => secrets.some((secret) => text.includes(secret)));
}

/** Elsewhere colours are dropped and a lone carriage return begins a line; to a shell both are words. */
function writtenOut(text: string): string {
  return text.replaceAll("\u001b", "\\u{1b}").replace(/\r(?!\n)/g, "\\u{d}");
}
