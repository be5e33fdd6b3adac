/** More than whoever looks for an id looks at. */
const LENGTH = 1024;

/** How bytes that are no text begin; what cannot be read of that is marked. */
export function beginningOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, LENGTH)).toString("utf8");
}
