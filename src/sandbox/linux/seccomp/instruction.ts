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

/** Whether the kernel lets a filter load a word from there. */
export function isLoadable(offset: number): boolean {
  return offset % 4 === 0 && offset >= 0 && offset < SECCOMP_ABI.bytes;
}
