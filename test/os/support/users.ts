export const ORDINARY = 65_534;

export type SandboxUser = "root" | "ordinary";

/**
 * Whom the tests try: who runs them. Root can be an ordinary user too, which takes half as long
 * again; the gate asks for both with `WRIT_TEST_USERS=every`.
 */
export const USERS: readonly SandboxUser[] = usersOf(process.getuid?.() === 0, process.env);

export function usersOf(
  isRoot: boolean,
  { WRIT_TEST_USERS: asked = "" }: NodeJS.ProcessEnv,
): readonly SandboxUser[] {
  if (asked !== "" && asked !== "every") {
    throw new Error(`Cannot tell whom to try: WRIT_TEST_USERS is "${asked}", expected "every"`);
  }
  if (!isRoot) return ["ordinary"];
  return asked === "every" ? ["root", "ordinary"] : ["root"];
}

/** What the command line of a user begins with. */
export function asUser(user: SandboxUser): string[] {
  if (process.getuid?.() !== 0 || user === "root") return [];
  const id = String(ORDINARY);
  return ["/usr/bin/setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"];
}
