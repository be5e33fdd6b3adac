/**
 * Reads a line of output as most workers write it, without a reader of JSON.
 *
 * A session that prints much says the same few words before every piece of it. Whatever is not
 * exactly so is `undefined`, and for `WorkerMessage` to judge.
 */
import { MOST_TEXT_CHARS } from "./worker-message.ts";

export interface PlainText {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Buffer;
}

const HEADS = (["stdout", "stderr"] as const).map((stream) => ({
  stream,
  head: `{"type":"output_text","stream":"${stream}","data_b64":"`,
}));
const TAIL = '"}';

export function readPlainText(line: string): PlainText | undefined {
  const known = HEADS.find(({ head }) => line.startsWith(head));
  if (known === undefined || !line.endsWith(TAIL)) return undefined;
  const bytes = bytesOf(line.slice(known.head.length, -TAIL.length));
  return bytes && { stream: known.stream, bytes };
}

/** The bytes of base64 that is nothing else: what is not of its alphabet would be missing in them. */
function bytesOf(text: string): Buffer | undefined {
  if (text.length > MOST_TEXT_CHARS || text.length % 4 !== 0) return undefined;
  if (text.includes("-") || text.includes("_")) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}
