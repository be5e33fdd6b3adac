/** Runs a filter as the kernel would, so that its decisions can be checked without one. */
import type { Instruction } from "../../../../src/sandbox/linux/seccomp/instruction.ts";
import { argumentOffset, SECCOMP_ABI } from "../../../../src/sandbox/linux/seccomp/seccomp-abi.ts";
import { decodeProgram } from "./decode-program.ts";

/** A system call as a filter sees it. */
export interface SystemCall {
  /** An AUDIT_ARCH_* number. */
  readonly arch: number;
  readonly nr: number;
  /** Up to six registers; those left out are zero, negative ones are sign-extended. */
  readonly args: readonly (number | bigint)[];
}

/** What the filter answers to the call; compare with `ACTION`. */
export function runFilter(bytes: Uint8Array, call: SystemCall): number {
  const words = wordsOf(call);
  let loaded = 0;
  let skip = 0;
  for (const instruction of decodeProgram(bytes)) {
    const { operation, value } = instruction;
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    if (operation === "ret") return value;
    if (operation === "load") loaded = words.getUint32(value, true);
    if (operation === "and") loaded = (loaded & value) >>> 0;
    skip = skippedBy(instruction, loaded);
  }
  throw new Error("Cannot run the filter: it has no end");
}

function skippedBy({ operation, value, ifTrue, ifFalse }: Instruction, loaded: number): number {
  if (operation === "goto") return value;
  if (operation === "equals") return loaded === value ? ifTrue : ifFalse;
  if (operation === "atLeast") return loaded >= value ? ifTrue : ifFalse;
  if (operation === "anyBit") return (loaded & value) !== 0 ? ifTrue : ifFalse;
  return 0;
}

/** The call as `struct seccomp_data`; the instruction pointer stays zero. */
function wordsOf({ arch, nr, args }: SystemCall): DataView {
  const words = new DataView(new ArrayBuffer(SECCOMP_ABI.bytes));
  words.setInt32(SECCOMP_ABI.number, nr, true);
  words.setUint32(SECCOMP_ABI.arch, arch, true);
  for (const [index, value] of args.slice(0, 6).entries()) {
    words.setBigInt64(argumentOffset(index), BigInt(value), true);
  }
  return words;
}
