/**
 * A policy as clients are shown it.
 *
 * `sandbox` is the coarse form that every client reads, and may say more than is
 * allowed; the `writ` member is the policy itself, with its names and with what
 * the coarse form left out.
 */
import {
  type BoundProfile,
  boundDigest,
  nativeOfUri,
  type PermissionProfile,
  PolicyError,
  type PolicyProjection,
  policyOfProfile,
  profileDigest,
  type SandboxPolicy,
  uriOfNative,
  writeCanonicalProfile,
} from "../../policy/index.ts";
import type { PolicyPlace } from "./policy-place.ts";
import type { ThreadPolicy } from "./thread-policy.ts";

/** Whether the name that a policy was chosen by still stands for it. */
export type ProfileState = "current" | "redefined" | "removed";

export interface EchoedPolicy {
  readonly policy: ThreadPolicy;
  readonly place: PolicyPlace;
  /** Null where the policy is in force nowhere, as that of a thread that is not loaded. */
  readonly bound: BoundProfile | null;
  readonly state: ProfileState;
}

/** What every response about a thread says of its policy. */
export function echoPolicy({ policy: { profile, origin }, place, bound, state }: EchoedPolicy) {
  const projection = project(profile, place);
  const lost = projection.kind === "exact" ? [] : [...projection.lost];
  const named = origin.kind === "named" ? { id: origin.id, extends: origin.extends } : null;
  return {
    sandbox: writePolicy(withRoots(projection.policy, place)),
    activePermissionProfile: named,
    writ: {
      permissionProfile: writeCanonicalProfile(profile, "carry"),
      profileDigest: profileDigest(profile),
      boundDigest: bound && boundDigest(bound),
      projection: { lossy: lost.length > 0, lost },
      profile: named && { ...named, state },
    },
  };
}

/** The nearest coarse policy; one that has no likeness is shown as one that writes at least as much. */
function project(profile: PermissionProfile, { cwd }: PolicyPlace): PolicyProjection {
  try {
    return policyOfProfile(profile, uriOfNative(cwd));
  } catch (cause) {
    if (!(cause instanceof PolicyError) || profile.type !== "managed") throw cause;
    return { kind: "lossy", policy: widerPolicy(profile), lost: ["which places are writable"] };
  }
}

type Managed = Extract<PermissionProfile, { type: "managed" }>;

function widerPolicy({ fileSystem, network }: Managed): SandboxPolicy {
  const entries = fileSystem.type === "restricted" ? fileSystem.entries : [];
  return {
    type: "workspaceWrite",
    writableRoots: entries.flatMap(({ target, access }) => {
      const path = target.type === "path" ? nativeOfUri(target.path) : undefined;
      return access === "write" && path !== undefined ? [path] : [];
    }),
    readOnlyAccess: { type: "fullAccess" },
    networkAccess: network.kind !== "restricted",
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  };
}

/** The other workspace roots are writable as the first is, and no client could know. */
function withRoots(policy: SandboxPolicy, { cwd, workspaceRoots }: PolicyPlace): SandboxPolicy {
  if (policy.type !== "workspaceWrite") return policy;
  const others = workspaceRoots.filter((root) => root !== cwd);
  const writableRoots = [...new Set([...others, ...policy.writableRoots])];
  return { ...policy, writableRoots };
}

/** Clients that know nothing of restricted reads do not take the member that says there are none. */
function writePolicy(policy: SandboxPolicy) {
  if (policy.type === "readOnly") {
    const { access, ...rest } = policy;
    return access.type === "fullAccess" ? rest : { ...rest, access: writeAccess(access) };
  }
  if (policy.type !== "workspaceWrite") return policy;
  const { readOnlyAccess, writableRoots, ...rest } = policy;
  const written = { ...rest, writableRoots: [...writableRoots] };
  if (readOnlyAccess.type === "fullAccess") return written;
  return { ...written, readOnlyAccess: writeAccess(readOnlyAccess) };
}

type Restricted = Extract<
  Extract<SandboxPolicy, { type: "readOnly" }>["access"],
  { type: "restricted" }
>;

function writeAccess({ readableRoots, ...rest }: Restricted) {
  return { ...rest, readableRoots: [...readableRoots] };
}
