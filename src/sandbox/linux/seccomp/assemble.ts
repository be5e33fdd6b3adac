/**
 * Turns steps with labels into the bytes of a seccomp filter.
 *
 * A comparison falls through when it fails. Classic BPF only jumps forward, and a comparison only
 * over 255 instructions: one that must go further jumps over an unconditional jump instead.
 * Steps that nothing reaches are refused: in a filter they are a rule that is not enforced.
 */
import { FilterError } from "./filter-error.ts";
import { encodeProgram, type Instruction, isLoadable } from "./instruction.ts";

export type Step =
  /** Loads the 32-bit word at this offset of `struct seccomp_data`. */
  | { readonly load: number }
  /** Keeps these bits of the loaded word. */
  | { readonly and: number }
  | { readonly equals: number; readonly goto: string }
  | { readonly atLeast: number; readonly goto: string }
  | { readonly anyBit: number; readonly goto: string }
  | { readonly goto: string }
  | { readonly ret: number }
  | { readonly label: string };

/** For each step the index of the label it may jump to. */
type Targets = readonly (number | undefined)[];

const MAX_SHORT_JUMP = 255;
const MAX_WORD = 0xffff_ffff;

/** The steps as an array of `struct sock_filter`; throws when they are no complete filter. */
export function assemble(steps: readonly Step[]): Uint8Array {
  const targets = findTargets(steps);
  refuseUnreachable(steps, targets);
  const distances = layOut(steps, targets);
  return encodeProgram(steps.flatMap((step, index) => emit(step, distances[index] ?? 0)));
}

function findTargets(steps: readonly Step[]): Targets {
  const labels = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    if (!("label" in step)) continue;
    if (labels.has(step.label)) throw refused(`the label "${step.label}" is there twice`);
    labels.set(step.label, index);
  }
  return steps.map((step, index) => {
    if (!("goto" in step)) return undefined;
    const target = labels.get(step.goto);
    if (target === undefined) throw refused(`there is no label "${step.goto}"`);
    if (target < index) throw refused(`step ${index} jumps back to "${step.goto}"`);
    return target;
  });
}

/** Every step must be reached, every label by a jump, and the end must not be. */
function refuseUnreachable(steps: readonly Step[], targets: Targets): void {
  const jumpedTo = new Set<number>();
  let reached = true;
  for (const [index, step] of steps.entries()) {
    if ("label" in step) {
      if (!jumpedTo.has(index)) throw refused(`nothing jumps to the label "${step.label}"`);
      reached = true;
    }
    if (!reached) throw refused(`nothing reaches step ${index}`);
    const target = targets[index];
    if (target !== undefined) jumpedTo.add(target);
    reached = !("ret" in step) && !isPlainGoto(step);
  }
  if (reached) throw refused("it can run past its end, expected a return on every path");
}

/** How far each step jumps once every comparison that must go far has two instructions. */
function layOut(steps: readonly Step[], targets: Targets): number[] {
  const far = new Set<number>();
  for (;;) {
    const places = placesOf(steps, far);
    const distances = places.map((place, index) => (places[targets[index] ?? 0] ?? 0) - place - 1);
    const before = far.size;
    for (const [index, step] of steps.entries()) {
      if (!isPlainGoto(step) && (distances[index] ?? 0) > MAX_SHORT_JUMP) far.add(index);
    }
    // Growing a step only moves others further apart, so this ends.
    if (far.size === before) return distances;
  }
}

function placesOf(steps: readonly Step[], far: ReadonlySet<number>): number[] {
  let place = 0;
  return steps.map((step, index) => {
    const own = place;
    if (!("label" in step)) place += far.has(index) ? 2 : 1;
    return own;
  });
}

function emit(step: Step, distance: number): Instruction[] {
  if ("label" in step) return [];
  if ("load" in step) return [plain("load", checkOffset(step.load))];
  if ("and" in step) return [plain("and", step.and)];
  if ("ret" in step) return [plain("ret", step.ret)];
  if ("equals" in step) return compare(plain("equals", step.equals), distance);
  if ("atLeast" in step) return compare(plain("atLeast", step.atLeast), distance);
  if ("anyBit" in step) return compare(plain("anyBit", step.anyBit), distance);
  return [plain("goto", distance)];
}

function compare(test: Instruction, distance: number): Instruction[] {
  if (distance <= MAX_SHORT_JUMP) return [{ ...test, ifTrue: distance }];
  return [{ ...test, ifFalse: 1 }, plain("goto", distance - 1)];
}

function plain(operation: Instruction["operation"], value: number): Instruction {
  if (!Number.isInteger(value) || value < 0 || value > MAX_WORD) {
    throw refused(`"${operation}" has the value ${value}, expected an unsigned 32-bit word`);
  }
  return { operation, ifTrue: 0, ifFalse: 0, value };
}

function checkOffset(offset: number): number {
  if (isLoadable(offset)) return offset;
  throw refused(`it loads from ${offset}, expected a multiple of 4 from 0 to 60`);
}

function isPlainGoto(step: Step): boolean {
  return "goto" in step && Object.keys(step).length === 1;
}

function refused(what: string): FilterError {
  return new FilterError("invalidSteps", `Cannot assemble a filter: ${what}`);
}
