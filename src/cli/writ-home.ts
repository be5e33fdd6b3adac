import path from "node:path";

/**
 * Where writ keeps what is its own: `$WRIT_HOME`, else `~/.writ`.
 *
 * Nothing when that is not an absolute path: a relative one would lie in the
 * folder an agent works in, which then could pose as the user.
 */
export function writHome(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string | undefined {
  const chosen = env.WRIT_HOME || path.join(home, ".writ");
  return path.isAbsolute(chosen) ? path.normalize(chosen) : undefined;
}
