export const ORDINARY = 65_534;

export type SandboxUser = "root" | "ordinary";

/** Everybody the tests can be. */
export const USERS: readonly SandboxUser[] =
  process.getuid?.() === 0 ? ["root", "ordinary"] : ["ordinary"];

/** What the command line of a user begins with. */
export function asUser(user: SandboxUser): string[] {
  if (process.getuid?.() !== 0 || user === "root") return [];
  const id = String(ORDINARY);
  return ["/usr/bin/setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"];
}
