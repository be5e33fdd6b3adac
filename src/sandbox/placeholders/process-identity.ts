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

/** The start time in clock ticks since boot: field 22 of proc(5), behind the name in brackets. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
