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
import type { FileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";

export interface OwnPaths {
  readonly hidden: readonly AbsolutePath[];
  readonly readOnly: readonly AbsolutePath[];
  /** Places in what is hidden that were made for this very command: a policy may open these. */
  readonly open?: readonly AbsolutePath[];
  /** The same, but to be read and never written. */
  readonly shown?: readonly AbsolutePath[];
}

/**
 * The rules that keep them, where the profile does not already. Throws where it opens them by name, and
 * where a link on the way to them could be turned elsewhere.
 */
export function ownRules(profile: BoundProfile, own: OwnPaths, facts: FileFacts): BoundEntry[] {
  const hidden = distinct(own.hidden.map((path) => locate(path, profile, facts)));
  // What is hidden must not be shown again for being protected.
  const readOnly = distinct(own.readOnly.map((path) => locate(path, profile, facts))).filter(
    (path) => !hidden.some((place) => isWithin(path, place)),
  );
  const open = (own.open ?? []).map((path) => locate(path, profile, facts));
  const shown = (own.shown ?? []).map((path) => locate(path, profile, facts));
  const all = profile.files.type === "restricted" ? profile.files.entries : [];
  const entries = all.filter(({ path }) => !open.some((place) => isWithin(path, place)));
  for (const place of [...hidden, ...readOnly]) {
    const inside = entries.find(({ path, access }) => access === "write" && isWithin(path, place));
    if (inside !== undefined) throw opensOwn(inside, place);
  }
  for (const place of hidden) {
    const inside = entries.find(
      ({ path, access }) =>
        access === "read" &&
        path !== place &&
        isWithin(path, place) &&
        !shown.some((one) => isWithin(path, one)),
    );
    if (inside !== undefined) throw opensOwn(inside, place);
  }
  const exposed = hidden.filter((path) => accessTo(profile, path) !== "deny");
  const writable = readOnly.filter((path) => accessTo(profile, path) === "write");
  return [
    ...exposed.map((path) => ownRule(path, "deny")),
    ...writable.map((path) => ownRule(path, "read")),
  ];
}

/** Whoever can change a link on the way decides what is read the next time. */
function locate(path: AbsolutePath, profile: BoundProfile, facts: FileFacts): AbsolutePath {
  const { real, links } = resolvePath(path, facts);
  const open = links.find(({ at }) => accessTo(profile, parentOf(at)) === "write");
  if (open === undefined) return real;
  throw new SandboxError(
    "unprotectablePath",
    `Cannot protect writ's own "${path}": it leads through the link "${open.at}", which the command may change, expected one out of its reach`,
  );
}

function distinct(paths: readonly AbsolutePath[]): AbsolutePath[] {
  return [...new Set(paths)];
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
