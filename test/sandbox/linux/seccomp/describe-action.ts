import { ACTION } from "../../../../src/sandbox/linux/seccomp/action.ts";

const RETURN_ERRNO = 0x0005_0000;
const ERRNO_MASK = 0xffff;

/** An answer for people: its name, `errno 5`, or the bare number. */
export function describeAction(action: number): string {
  const named = Object.entries(ACTION).find(([, value]) => value === action);
  if (named) return named[0];
  const errno = action & ERRNO_MASK;
  return (action ^ errno) === RETURN_ERRNO ? `errno ${errno}` : "unknown";
}
