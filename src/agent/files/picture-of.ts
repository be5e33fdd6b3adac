/**
 * What kind of picture some bytes are, by the bytes themselves.
 *
 * A provider looks inside: one that is not what it is called, or is too large, is
 * refused, and with it the thread that has it in its history. Pure.
 */

export interface Picture {
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly width: number;
  readonly height: number;
}

type Size = Pick<Picture, "width" | "height">;

/** The picture that the bytes are; nothing where they are none, or only the beginning of one. */
export function pictureOf(content: Uint8Array): Picture | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (const { mimeType, sizeOf, isWhole } of KINDS) {
    const size = readOrNothing(sizeOf, bytes);
    if (size === undefined) continue;
    const isShown = size.width > 0 && size.height > 0 && isWhole(bytes);
    return isShown ? { mimeType, ...size } : undefined;
  }
  return undefined;
}

type Reader = (bytes: Buffer) => Size | undefined;

interface Kind {
  readonly mimeType: Picture["mimeType"];
  readonly sizeOf: Reader;
  /** Whether its end is there. */
  isWhole(bytes: Buffer): boolean;
}

const KINDS: readonly Kind[] = [
  { mimeType: "image/png", sizeOf: sizeOfPng, isWhole: (bytes) => bytes.includes("IEND") },
  {
    mimeType: "image/jpeg",
    sizeOf: sizeOfJpeg,
    isWhole: (bytes) => bytes.includes(Buffer.from([0xff, 0xd9])),
  },
  { mimeType: "image/gif", sizeOf: sizeOfGif, isWhole: (bytes) => bytes.includes(0x3b, 13) },
  {
    mimeType: "image/webp",
    sizeOf: sizeOfWebp,
    isWhole: (bytes) => bytes.readUInt32LE(4) <= bytes.length - 8,
  },
];

/** Bytes that end too early have no size. */
function readOrNothing(read: Reader, bytes: Buffer): Size | undefined {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sizeOfPng(bytes: Buffer): Size | undefined {
  if (!startsWith(bytes, "\x89PNG\r\n\x1a\n") || at(bytes, 12, 4) !== "IHDR") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function sizeOfGif(bytes: Buffer): Size | undefined {
  if (!startsWith(bytes, "GIF87a") && !startsWith(bytes, "GIF89a")) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (!startsWith(bytes, "RIFF") || at(bytes, 8, 4) !== "WEBP") return undefined;
  switch (at(bytes, 12, 4)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Segments before the frame have a length, and are passed over. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  if (!startsWith(bytes, "\xff\xd8\xff")) return undefined;
  for (let from = 2; bytes.readUInt8(from) === 0xff; ) {
    const marker = bytes.readUInt8(from + 1);
    if (isFrame(marker)) {
      return { width: bytes.readUInt16BE(from + 7), height: bytes.readUInt16BE(from + 5) };
    }
    // Before the marker any number of these may stand.
    from += marker === 0xff ? 1 : 2 + Math.max(2, bytes.readUInt16BE(from + 2));
  }
  return undefined;
}

/** Of the markers in this range, three begin something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function startsWith(bytes: Buffer, text: string): boolean {
  return at(bytes, 0, text.length) === text;
}

function at(bytes: Buffer, from: number, length: number): string {
  return bytes.toString("latin1", from, from + length);
}
