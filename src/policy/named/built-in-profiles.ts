/** The three profiles that exist without a file, under the ids that Codex gives them. */
import { policyForMode } from "../convert/policy-for-mode.ts";
import { profileOfPolicy } from "../convert/profile-of-policy.ts";
import { PolicyError } from "../policy-error.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import type { ProfileTable } from "./profile-table.ts";

const MODES = new Map([
  [":read-only", "read-only"],
  [":workspace", "workspace-write"],
  [":danger-full-access", "danger-full-access"],
] as const);

/** What `extends` may name without a table; the default protections are not inherited. */
const PARENTS = new Map<string, ProfileTable>([
  [":read-only", { filesystem: { ":root": "read" } }],
  [
    ":workspace",
    {
      filesystem: {
        ":root": "read",
        ":workspace_roots": { ".": "write" },
        ":slash_tmp": "write",
        ":tmpdir": "write",
      },
    },
  ],
]);

export const BUILT_IN_PROFILES: readonly string[] = [...MODES.keys()];

export const BUILT_IN_PARENTS: readonly string[] = [...PARENTS.keys()];

export function isBuiltIn(id: string): boolean {
  return BUILT_IN_PROFILES.includes(id);
}

/** A built-in profile as it is when selected by itself. */
export function builtInProfile(id: string): PermissionProfile {
  const mode = [...MODES].find(([name]) => name === id)?.[1];
  if (mode !== undefined) return profileOfPolicy(policyForMode(mode));
  throw new PolicyError("unknown", `Cannot use profile "${id}": it is not built in`);
}

/** A built-in profile as a parent; nothing for one that cannot be extended. */
export function parentTable(id: string): ProfileTable | undefined {
  return PARENTS.get(id);
}
