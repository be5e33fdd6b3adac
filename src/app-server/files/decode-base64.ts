/** The bytes of standard base64 with padding. Throws what `refuse` makes of the reason. */
export function decodeBase64(text: string, refuse: (why: string) => Error): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Node passes over what it does not know; only what reads back the same was meant.
  if (bytes.toString("base64") === text) return bytes;
  const at = text.search(/[^A-Za-z0-9+/=]/);
  throw refuse(
    at === -1 ? "Invalid padding" : `Invalid symbol ${text.charCodeAt(at)}, offset ${at}.`,
  );
}
