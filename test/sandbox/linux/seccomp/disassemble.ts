/** Shows a filter to people: one instruction a line, jumps by the number of their target. */
import type { Instruction } from "../../../../src/sandbox/linux/seccomp/instruction.ts";
import { decodeProgram } from "./decode-program.ts";
import { describeAction } from "./describe-action.ts";

const SIGNS = { equals: "==", atLeast: ">=", anyBit: "&" } as const;

/** The text of a filter; it holds all that the bytes do. */
export function disassemble(bytes: Uint8Array): string {
  const lines = decodeProgram(bytes).map((step, index) => `${index}: ${describe(step, index)}\n`);
  return lines.join("");
}

function describe({ operation, ifTrue, ifFalse, value }: Instruction, index: number): string {
  if (operation === "load") return `load [${value}]`;
  if (operation === "and") return `and ${hex(value)}`;
  if (operation === "goto") return `goto ${index + 1 + value}`;
  if (operation === "ret") return `return ${hex(value)} (${describeAction(value)})`;
  const test = `${SIGNS[operation]} ${hex(value)}`;
  const whenTrue = index + 1 + ifTrue;
  const whenFalse = index + 1 + ifFalse;
  if (ifTrue > 0 && ifFalse === 0) return `if ${test} goto ${whenTrue}`;
  if (ifTrue === 0 && ifFalse > 0) return `unless ${test} goto ${whenFalse}`;
  return `if ${test} goto ${whenTrue} else ${whenFalse}`;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
