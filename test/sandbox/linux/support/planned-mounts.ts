/** Mount plans for tests: nothing of writ's own, nothing unseen, and one flag a line. */
import type { BoundProfile } from "../../../../src/policy/index.ts";
import type { FileFacts } from "../../../../src/sandbox/files/file-facts.ts";
import { mountFlags } from "../../../../src/sandbox/linux/mount.ts";
import { type MountPlan, planMounts } from "../../../../src/sandbox/linux/plan-mounts.ts";
import { boundWith, type Rule } from "../../../policy/support/profiles.ts";

/** Protected names are tested on their own; the other plans stay readable without them. */
export function withoutNames(rules: readonly Rule[]): BoundProfile {
  const bound = boundWith(rules);
  if (bound.files.type === "unrestricted") return bound;
  const entries = bound.files.entries.map((entry) => ({ ...entry, protects: [] }));
  return { ...bound, files: { ...bound.files, entries } };
}

export function plannedMounts(profile: BoundProfile, files: FileFacts): MountPlan {
  return planMounts(profile, { files, own: { hidden: [], readOnly: [] }, unseen: [] });
}

/** Without the part that every plan begins with. */
export function linesOf({ mounts }: MountPlan): string[] {
  return mounts
    .filter(({ op }) => op !== "devices" && op !== "processes")
    .map((mount) => mountFlags(mount, () => 9).join(" "));
}
