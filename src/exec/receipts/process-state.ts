import { identityOf, isRunning, livingPid, type ProcessIdentity } from "../../sandbox/index.ts";

/** How a process stands, as far as can be seen from here. */
export type ProcessState = "running" | "gone" | "unseen";

/** Names this process for good; null where the system does not tell processes apart. */
export function thisProcess(): string | null {
  return identityOf(process.pid) ?? null;
}

/** Whether a process that was named by {@link thisProcess} is still there. */
export function processState(name: string | null): ProcessState {
  if (name === null) return "unseen";
  const pid = livingPid(name as ProcessIdentity);
  if (pid === "elsewhere") return "unseen";
  return pid !== undefined && isRunning(pid) ? "running" : "gone";
}
