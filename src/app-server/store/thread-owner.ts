/**
 * Which process a thread belongs to.
 *
 * A process is named with its start and its boot, so that another one that was
 * given the same number is not taken for it.
 */
import { randomUUID } from "node:crypto";
import { processState, thisProcess } from "../../exec/index.ts";

const UNNAMED = "unnamed-";

let name: string | undefined;

/** Names this process as an owner, also where the system does not tell processes apart. */
export function threadOwner(): string {
  name ??= thisProcess() ?? `${UNNAMED}${randomUUID()}`;
  return name;
}

/** Whether somebody else has it. One that cannot be seen from here counts as living. */
export function isHeldElsewhere(owner: string | null): boolean {
  if (owner === null || owner === threadOwner()) return false;
  return owner.startsWith(UNNAMED) || processState(owner) !== "gone";
}
