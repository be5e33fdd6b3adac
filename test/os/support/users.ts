export const ORDINARY = 65_534;
/** An ordinary user whose number is nobody else's: {@link ORDINARY} also stands for users without one. */
const NUMBERED = 65_533;

export type SandboxUser = "root" | "ordinary" | "numbered";

/** Those of {@link USERS} for what needs a number of one's own. */
export function numbered(users: readonly SandboxUser[]): readonly SandboxUser[] {
  return users.map((user) => (process.getuid?.() === 0 && user === "ordinary" ? "numbered" : user));
}

export function idOf(user: SandboxUser): number {
  return user === "root" ? 0 : user === "ordinary" ? ORDINARY : NUMBERED;
}

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
  const id = String(idOf(user));
  return ["/usr/bin/setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"];
}
