/** Reads what `disassemble` writes, to show that the text leaves nothing out. */
const CODES = { load: 0x20, and: 0x54, goto: 0x05, return: 0x06 } as const;
const COMPARISONS = { "==": 0x15, ">=": 0x35, "&": 0x45 } as const;

const COMPARISON =
  /^(?<word>if|unless) (?<sign>==|>=|&) (?<value>\S+) goto (?<to>\d+)(?: else (?<other>\d+))?$/;
const PLAIN = /^(?<word>load|and|goto|return) \[?(?<value>\w+)\]?(?: \(.*\))?$/;

export function bytesOfText(text: string): Uint8Array {
  const lines = text.trimEnd().split("\n");
  return new Uint8Array(Buffer.concat(lines.map((line, index) => bytesOfLine(line, index))));
}

function bytesOfLine(line: string, index: number): Buffer {
  const body = line.slice(`${index}: `.length);
  const comparison = COMPARISON.exec(body)?.groups;
  const next = index + 1;
  if (comparison) {
    const to = Number(comparison.to) - next;
    const other = Number(comparison.other ?? next) - next;
    const [ifTrue, ifFalse] = comparison.word === "if" ? [to, other] : [other, to];
    const code = COMPARISONS[comparison.sign as keyof typeof COMPARISONS];
    return encode([code, ifTrue, ifFalse], Number(comparison.value));
  }
  const plain = PLAIN.exec(body)?.groups;
  if (!plain) throw new Error(`Cannot read the line "${line}"`);
  const value = Number(plain.value) - (plain.word === "goto" ? next : 0);
  return encode([CODES[plain.word as keyof typeof CODES], 0, 0], value);
}

function encode([code, ifTrue, ifFalse]: [number, number, number], value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
