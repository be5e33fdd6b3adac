/** Stands where bytes are no text. */
export const MARK = "\ufffd";

/** Bytes that are no text, as far as they are one. */
export function markedText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
}
