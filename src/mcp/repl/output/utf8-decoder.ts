/**
 * Bytes of one stream as text, whatever they are and however they are cut.
 *
 * A byte that belongs to no character is shown as `\xNN`. A character whose rest
 * has not arrived is held until it has, or until it is sealed.
 */
const FATAL = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Longest character, less the byte that completes it. */
const MAX_HELD = 3;
const NOTHING = new Uint8Array(0);

export class Utf8Decoder {
  #held: Uint8Array = NOTHING;

  /** The text that is certain once `bytes` have arrived. */
  write(bytes: Uint8Array): string {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const whole = all.length - unfinishedLength(all);
    // A copy: the chunk it lies in may be large and is not ours.
    this.#held = whole === all.length ? NOTHING : Uint8Array.from(all.subarray(whole));
    return decode(all.subarray(0, whole));
  }

  /** What was held, as bytes that never became a character. */
  seal(): string {
    const held = this.#held;
    this.#held = NOTHING;
    return escapeBytes(held);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return FATAL.decode(bytes);
  } catch {
    return decodeBroken(bytes);
  }
}

/** Characters where there are some, escapes for the bytes between them. */
function decodeBroken(bytes: Uint8Array): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(FATAL.decode(bytes.subarray(from, at)), escapeBytes(bytes.subarray(at, at + 1)));
    at += 1;
    from = at;
  }
  parts.push(FATAL.decode(bytes.subarray(from)));
  return parts.join("");
}

function escapeBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `\\x${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
    "",
  );
}

/** Length of the character at `at`; 0 if there is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  const wanted = expectedLength(bytes[at] ?? 0);
  return wanted > 0 && validLength(bytes, at, wanted) === wanted ? wanted : 0;
}

/** How many bytes at the end are the beginning of a character. */
function unfinishedLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(MAX_HELD, bytes.length); back++) {
    const at = bytes.length - back;
    const wanted = expectedLength(bytes[at] ?? 0);
    if (wanted > back && validLength(bytes, at, wanted) === back) return back;
  }
  return 0;
}

/** How many of the `wanted` bytes at `at` can stand where they do (Unicode 16, table 3-7). */
function validLength(bytes: Uint8Array, at: number, wanted: number): number {
  const lead = bytes[at] ?? 0;
  let length = 1;
  while (length < wanted && at + length < bytes.length) {
    const byte = bytes[at + length] ?? 0;
    const [low, high] = length === 1 ? secondByteRange(lead) : [0x80, 0xbf];
    if (byte < low || byte > high) break;
    length += 1;
  }
  return length;
}

function expectedLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

function secondByteRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}
