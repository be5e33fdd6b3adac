const ALPHABET = /[^A-Za-z0-9+/]/;

/** The bytes of standard base64 with padding. Throws what `refuse` makes of the reason. */
export function decodeBase64(text: string, refuse: (why: string) => Error): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Node passes over what it does not know; only what reads back the same was meant.
  if (bytes.toString("base64") === text) return bytes;
  throw refuse(problemOf(text));
}

function problemOf(text: string): string {
  const body = text.replace(/={0,2}$/, "");
  const at = body.search(ALPHABET);
  if (at === -1) return "Invalid padding";
  return `Invalid symbol ${body.charCodeAt(at)}, offset ${at}.`;
}
