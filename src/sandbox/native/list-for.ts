/** Values as C has them, in memory that stays where it is as long as somebody holds the buffer. */
import type { Libc } from "./libc.ts";

const POINTER_BYTES = 8;

/** A text and its end. The caller has made sure that there is none within. */
export function textFor(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

/** A list of texts: a pointer to each and one to nothing, with the texts behind them. */
export function listFor({ addressOf }: Libc, texts: readonly string[]): Buffer {
  const head = (texts.length + 1) * POINTER_BYTES;
  const list = Buffer.concat([Buffer.alloc(head), textFor(texts.join("\0"))]);
  const start = addressOf(list);
  let at = head;
  for (const [index, text] of texts.entries()) {
    list.writeBigUInt64LE(start + BigInt(at), index * POINTER_BYTES);
    at += Buffer.byteLength(text) + 1;
  }
  return list;
}
