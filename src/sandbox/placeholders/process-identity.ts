/** Which process, for good: its number alone may be given to another one. */
import fs from "node:fs";

declare const identity: unique symbol;

/** `<pid>-<start time>`. */
export type ProcessIdentity = string & { readonly [identity]: true };

/** The identity of this process. */
export function selfIdentity(): ProcessIdentity {
  return `${process.pid}-${startOf(process.pid) ?? "0"}` as ProcessIdentity;
}

/** Reads the identity that a longer name begins with. */
export function identityOf(name: string): ProcessIdentity {
  return name.split("-").slice(0, 2).join("-") as ProcessIdentity;
}

/** True while exactly that process is running. */
export function isAlive(one: ProcessIdentity): boolean {
  const [pid = "", start] = one.split("-");
  return startOf(Number(pid)) === start;
}

/** True while a process does something; one that is over but not yet collected does not. */
export function isRunning(pid: number): boolean {
  const [state] = statOf(pid) ?? [];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** The start time in clock ticks since boot: field 22 of proc(5). */
function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** The fields of proc(5) from the state on, which stands behind the name in brackets. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
