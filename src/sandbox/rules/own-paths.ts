/**
 * What belongs to writ on a host and must stay out of a command's hands.
 *
 * Settings, records and caches decide what the next start does, and hold what
 * is nobody else's business; the program itself is what enforces. Whatever a
 * policy grants, the first are hidden and the second are read-only.
 */
import {
  type AbsolutePath,
  accessTo,
  type BoundEntry,
  type BoundProfile,
  isWithin,
} from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";

export interface OwnPaths {
  readonly hidden: readonly AbsolutePath[];
  readonly readOnly: readonly AbsolutePath[];
}

/** The rules that keep them, where the profile does not already. Throws where it opens them by name. */
export function ownRules(profile: BoundProfile, { hidden, readOnly }: OwnPaths): BoundEntry[] {
  const entries = profile.files.type === "restricted" ? profile.files.entries : [];
  for (const own of [...hidden, ...readOnly]) {
    const inside = entries.find(({ path, access }) => access === "write" && isWithin(path, own));
    if (inside !== undefined) throw opensOwn(inside, own);
  }
  for (const own of hidden) {
    const inside = entries.find(
      ({ path, access }) => access === "read" && path !== own && isWithin(path, own),
    );
    if (inside !== undefined) throw opensOwn(inside, own);
  }
  const exposed = hidden.filter((path) => accessTo(profile, path) !== "deny");
  const writable = readOnly.filter((path) => accessTo(profile, path) === "write");
  return [
    ...exposed.map((path) => ownRule(path, "deny")),
    ...writable.map((path) => ownRule(path, "read")),
  ];
}

function ownRule(path: AbsolutePath, access: "deny" | "read"): BoundEntry {
  return { path, access, protects: [], rule: `the protection of writ's own "${path}"` };
}

function opensOwn({ rule }: BoundEntry, own: AbsolutePath): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${rule}: it opens a place in "${own}", which is writ's own, expected a policy without it`,
  );
}
