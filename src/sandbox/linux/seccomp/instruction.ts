/**
 * The instructions of classic BPF that the filters use, and `struct sock_filter`.
 *
 * All of them are also among those the kernel follows when it works out, at installation, which
 * calls are allowed whatever their arguments; those then skip the filter. See `linux/filter.h` and
 * seccomp(2).
 */
import { FilterError } from "./filter-error.ts";
import { SECCOMP_ABI } from "./seccomp-abi.ts";

const CODES = {
  /** BPF_LD | BPF_W | BPF_ABS */
  load: 0x20,
  /** BPF_ALU | BPF_AND | BPF_K */
  and: 0x54,
  /** BPF_JMP | BPF_JA */
  goto: 0x05,
  /** BPF_JMP | BPF_JEQ | BPF_K */
  equals: 0x15,
  /** BPF_JMP | BPF_JGE | BPF_K */
  atLeast: 0x35,
  /** BPF_JMP | BPF_JSET | BPF_K */
  anyBit: 0x45,
  /** BPF_RET | BPF_K */
  ret: 0x06,
} as const;

const OPERATIONS = new Map(
  Object.entries(CODES).map(([name, code]) => [code as number, name as keyof typeof CODES]),
);

const INSTRUCTION_BYTES = 8;
const MAX_INSTRUCTIONS = 4096;

export interface Instruction {
  readonly operation: keyof typeof CODES;
  /** How many instructions a comparison that holds skips. */
  readonly ifTrue: number;
  /** How many instructions a comparison that fails skips. */
  readonly ifFalse: number;
  readonly value: number;
}

/** Writes a program as the array of `struct sock_filter` that the kernel takes. */
export function encodeProgram(program: readonly Instruction[]): Uint8Array {
  if (program.length > MAX_INSTRUCTIONS) {
    throw new FilterError(
      "tooLong",
      `Cannot assemble a filter: it has ${program.length} instructions, expected at most ${MAX_INSTRUCTIONS}`,
    );
  }
  const view = new DataView(new ArrayBuffer(program.length * INSTRUCTION_BYTES));
  for (const [index, { operation, ifTrue, ifFalse, value }] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, CODES[operation], true);
    view.setUint8(at + 2, ifTrue);
    view.setUint8(at + 3, ifFalse);
    view.setUint32(at + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

/** Reads a program back; what it returns always comes to a `ret`. */
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

/** Whether the kernel lets a filter load a word from there. */
export function isLoadable(offset: number): boolean {
  return offset % 4 === 0 && offset >= 0 && offset < SECCOMP_ABI.bytes;
}

function decodeAt(view: DataView, index: number): Instruction {
  const at = index * INSTRUCTION_BYTES;
  const code = view.getUint16(at, true);
  const operation = OPERATIONS.get(code);
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

function unreadable(what: string): FilterError {
  return new FilterError("invalidBytes", `Cannot read the filter: ${what}`);
}
