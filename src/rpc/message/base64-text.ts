/**
 * Bytes as text, with nothing in it that JSON would escape.
 *
 * Looking for that takes longer than all the rest of a long message. So the last
 * text that was made here is remembered, and the writer of messages, who mostly
 * comes next, need not look: a text that equals it has nothing to escape either.
 */
let last: string | undefined;

/** The base64 of bytes, for a member of the next message. */
export function base64Text({ buffer, byteOffset, byteLength }: Uint8Array): string {
  last = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  return last;
}

/** True for what was made last; other texts may be plain too. */
export function isKnownPlain(value: unknown): value is string {
  return value === last;
}
