/**
 * Reads a filter back, by a table of its own: what is written is held against what the kernel takes.
 *
 * What it returns always comes to a `ret`.
 */
import { type Instruction, isLoadable } from "../../../../src/sandbox/linux/seccomp/instruction.ts";

/** See `linux/bpf_common.h`. */
const OPERATIONS: Readonly<Record<number, Instruction["operation"]>> = {
  32: "load",
  84: "and",
  5: "goto",
  21: "equals",
  53: "atLeast",
  69: "anyBit",
  6: "ret",
};

const INSTRUCTION_BYTES = 8;
/** BPF_MAXINSNS */
const MAX_INSTRUCTIONS = 4096;

export function decodeProgram(bytes: Uint8Array): Instruction[] {
  const length = bytes.length / INSTRUCTION_BYTES;
  if (!Number.isInteger(length) || length === 0 || length > MAX_INSTRUCTIONS) {
    throw unreadable(`it has ${bytes.length} bytes, expected 1 to ${MAX_INSTRUCTIONS} times 8`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const program = Array.from({ length }, (_, index) => decodeAt(view, index));
  if (program.at(-1)?.operation !== "ret") throw unreadable("it does not end in a return");
  for (const [index, instruction] of program.entries()) {
    if (index + 1 + furthest(instruction) >= length) {
      throw unreadable(`instruction ${index} jumps past its end`);
    }
  }
  return program;
}

function decodeAt(view: DataView, index: number): Instruction {
  const at = index * INSTRUCTION_BYTES;
  const code = view.getUint16(at, true);
  const operation = OPERATIONS[code];
  if (!operation) throw unreadable(`instruction ${index} has the unknown code ${code}`);
  const value = view.getUint32(at + 4, true);
  if (operation === "load" && !isLoadable(value)) {
    throw unreadable(`instruction ${index} loads from ${value}`);
  }
  const ifTrue = view.getUint8(at + 2);
  const ifFalse = view.getUint8(at + 3);
  if (!isComparison(operation) && (ifTrue || ifFalse)) {
    throw unreadable(`instruction ${index} has jumps, but compares nothing`);
  }
  return { operation, ifTrue, ifFalse, value };
}

function isComparison(operation: Instruction["operation"]): boolean {
  return operation === "equals" || operation === "atLeast" || operation === "anyBit";
}

function furthest({ operation, ifTrue, ifFalse, value }: Instruction): number {
  if (operation === "ret") return -1;
  return operation === "goto" ? value : Math.max(ifTrue, ifFalse);
}

function unreadable(what: string): Error {
  return new Error(`Cannot read the filter: ${what}`);
}
