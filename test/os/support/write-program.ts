/** Programs of a few bytes, for what no compiler on the host would write. */
import { writeFileSync } from "node:fs";
import path from "node:path";

/** `getpid` by the 32-bit gate, then `exit(0)` by the 64-bit one, from a 64-bit program. */
export const INT_80 = Buffer.from("b814000000cd80b83c00000031ff0f05", "hex");

/** Writes an ELF file of one segment, which holds its own headers and the code. */
export function writeProgram(folder: string, code: Buffer): string {
  const headers = Buffer.alloc(0x78);
  const base = 0x40_0000n;
  headers.write("\x7fELF\x02\x01\x01", "latin1");
  headers.writeUInt16LE(2, 16); // ET_EXEC
  headers.writeUInt16LE(62, 18); // EM_X86_64
  headers.writeUInt32LE(1, 20);
  headers.writeBigUInt64LE(base + 0x78n, 24); // entry
  headers.writeBigUInt64LE(0x40n, 32); // program headers
  headers.writeUInt16LE(0x40, 52);
  headers.writeUInt16LE(0x38, 54);
  headers.writeUInt16LE(1, 56);
  headers.writeUInt32LE(1, 0x40); // PT_LOAD
  headers.writeUInt32LE(5, 0x44); // readable, executable
  headers.writeBigUInt64LE(base, 0x50);
  headers.writeBigUInt64LE(base, 0x58);
  headers.writeBigUInt64LE(BigInt(0x78 + code.length), 0x60);
  headers.writeBigUInt64LE(BigInt(0x78 + code.length), 0x68);
  headers.writeBigUInt64LE(0x1000n, 0x70);
  const file = path.join(folder, "program");
  writeFileSync(file, Buffer.concat([headers, code]), { mode: 0o755 });
  return file;
}
