import { malformed, oneOf } from "../table-of.ts";

/** Throws unless sandboxes of threads are to be those of their machine, which is all that threads can have. */
export function refuseSessionProvider(value: unknown, where: string): void {
  if (value === undefined) return;
  if (oneOf(value, ["local", "vercel"], where) === "local") return;
  const why = "a VM has no files of this machine, keeps no rules for files and has no terminal";
  const instead = 'run "writ exec-server" in the VM and add it as an environment';
  throw malformed(where, `threads cannot have VMs of Vercel: ${why}, expected "local"; ${instead}`);
}
