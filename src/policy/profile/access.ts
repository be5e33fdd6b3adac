/** What an entry says about a path. `write` includes reading; `deny` hides it. */
export type Access = "read" | "write" | "deny";

/** Among entries equally specific, the higher rank decides. */
export const ACCESS_RANK: Readonly<Record<Access, number>> = { read: 0, write: 1, deny: 2 };

const PERMISSIVENESS: Readonly<Record<Access, number>> = { deny: 0, read: 1, write: 2 };

/** True when `a` lets a command do something that `b` does not. */
export function allowsMore(a: Access, b: Access): boolean {
  return PERMISSIVENESS[a] > PERMISSIVENESS[b];
}

/** The access that forbids what either forbids. */
export function stricterOf(a: Access, b: Access): Access {
  return allowsMore(a, b) ? b : a;
}
