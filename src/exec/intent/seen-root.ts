/**
 * Places in workspace roots that a profile grants by their names, judged by where they lead.
 *
 * A root is named by whoever asks, what lies in it was put there by others: a
 * repository that was cloned, a command of an earlier run. A link among that
 * must not open what is no part of the workspace.
 */
import {
  type AbsolutePath,
  accessTo,
  type BoundProfile,
  describeEntry,
  type Entry,
  isWithin,
  parseAbsolutePath,
} from "../../policy/index.ts";
import type { SeenPath } from "../../sandbox/index.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { refuseRoot } from "./refuse-root.ts";

const FIELD = "sandbox.permissions";

/** A granted place that is no part of the root that it is named in. */
export interface LedOut {
  readonly entry: Entry;
  readonly at: SeenPath;
}

export interface SeenRoot {
  /** Where the root leads, and each place in it that is granted by itself. */
  readonly seen: readonly SeenPath[];
  readonly ledOut: readonly LedOut[];
}

/** Throws {@link ExecError} unless this executor allows a workspace at the root, and each place in it that is granted. */
export function seenRoot(
  root: AbsolutePath,
  { entries, field }: { readonly entries: readonly Entry[]; readonly field: string },
  host: ExecHost,
): SeenRoot {
  const own = refuseRoot(root, { field }, host);
  const [above] = own;
  const places = entries.flatMap((entry) =>
    placeOf(entry, root).flatMap((place) =>
      refuseRoot(place, { field: FIELD, above }, host).map((at) => ({ entry, at })),
    ),
  );
  return {
    seen: [...own, ...places.map(({ at }) => at)],
    ledOut: places.filter(({ at }) => above === undefined || !isWithin(at.real, above.real)),
  };
}

function placeOf({ target, access }: Entry, root: AbsolutePath): AbsolutePath[] {
  if (target.type !== "workspaceRoots" || !target.subpath || access === "deny") return [];
  return [parseAbsolutePath(`${root}/${target.subpath}`)];
}

/** Throws {@link ExecError} where a place that leads out of its root would open more there than is open by another name. */
export function refuseLedOut(ledOut: readonly LedOut[], bound: BoundProfile): void {
  for (const { entry, at } of ledOut) {
    const open = accessTo(bound, at.real);
    if (open === "write" || open === entry.access) continue;
    throw new ExecError(
      "notAllowed",
      `Cannot enforce ${describeEntry(entry)} on "${at.path}": a link on the way leads out of the workspace to "${at.real}", expected a place in it, or a rule that names that one`,
      { field: FIELD },
    );
  }
}
