/**
 * What a policy may be at most, as the operator of a machine decided.
 *
 * A refusal is a value: it says the field, the candidate, the allowed set and
 * who set it. Forced denies hold in two places: a candidate that would reopen
 * one is refused, and `underCeiling` puts them over every bound profile.
 */
import { bindProfile } from "../access/bind-profile.ts";
import type { BoundProfile, HostRoots } from "../access/bound-profile.ts";
import { modeOfProfile, type ProfileMode } from "../convert/mode-of-profile.ts";
import { profileOfPolicy } from "../convert/profile-of-policy.ts";
import { canonicalProfile } from "../digest/canonical-profile.ts";
import { BUILT_IN_PROFILES, builtInProfile } from "../named/built-in-profiles.ts";
import { comparableUri, isBelowAny } from "../paths/uri-contains.ts";
import type { Entry } from "../profile/entry.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import type { SandboxPolicy } from "../profile/sandbox-policy.ts";
import { narrow } from "./narrow.ts";

export interface Ceiling {
  /** Who set it: the path of the file that says so. */
  readonly source: string;
  /** Absent means that every mode may be asked for. */
  readonly allowedModes?: readonly ProfileMode[];
  /** Absent means that every named profile may be asked for; an id that is not listed may not. */
  readonly allowedProfiles?: Readonly<Record<string, boolean>>;
  /** The profile for callers that name none. */
  readonly defaultProfile?: string;
  /** Deny entries that no policy can drop. */
  readonly denies: readonly Entry[];
}

/** The coarse and the fine form; both are bound by the same ceiling. */
export type Candidate =
  | { readonly form: "policy"; readonly policy: SandboxPolicy }
  | { readonly form: "profile"; readonly profile: PermissionProfile; readonly id?: string };

export type CeilingVerdict =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly field: "sandbox_mode" | "default_permissions" | "permissions.filesystem";
      readonly candidate: string;
      readonly allowedSet: readonly string[];
      readonly source: string;
    };

/** Whether a candidate stays below the ceiling. */
export function canSet(ceiling: Ceiling, candidate: Candidate): CeilingVerdict {
  const profile =
    candidate.form === "policy" ? profileOfPolicy(candidate.policy) : candidate.profile;
  return (
    refusedId(ceiling, candidate, profile) ??
    refusedMode(ceiling, profile) ??
    reopenedDeny(ceiling, profile) ?? { allowed: true }
  );
}

/** Puts the forced denies over a bound profile, whatever it grants below them. */
export function underCeiling(bound: BoundProfile, ceiling: Ceiling, host: HostRoots): BoundProfile {
  if (ceiling.denies.length === 0) return bound;
  const everythingElse: Entry = { target: { type: "root" }, access: "write" };
  const forced = bindProfile(
    {
      type: "managed",
      fileSystem: { type: "restricted", entries: [everythingElse, ...ceiling.denies] },
      network: { kind: "enabled" },
      unixSockets: "host",
    },
    // The forced profile only takes away; protecting names is the business of the other side.
    { ...host, protectedNames: [] },
  );
  return narrow(bound, forced);
}

type Refusal = Extract<CeilingVerdict, { allowed: false }>;

/** A list of profiles would be no list if a policy without a name went past it. */
function refusedId(
  ceiling: Ceiling,
  candidate: Candidate,
  profile: PermissionProfile,
): Refusal | undefined {
  const { allowedProfiles, source } = ceiling;
  if (allowedProfiles === undefined) return undefined;
  const id = nameOf(candidate, profile);
  if (id !== undefined && Object.hasOwn(allowedProfiles, id) && allowedProfiles[id]) {
    return undefined;
  }
  return {
    allowed: false,
    field: "default_permissions",
    candidate: id ?? "a policy without a name",
    allowedSet: Object.keys(allowedProfiles).filter((one) => allowedProfiles[one]),
    source,
  };
}

/** A built-in name counts only for what it stands for; other names are the word of whoever resolved them. */
function nameOf(candidate: Candidate, profile: PermissionProfile): string | undefined {
  const id = candidate.form === "profile" ? candidate.id : undefined;
  return id === undefined || BUILT_IN_PROFILES.includes(id) ? builtInOf(profile) : id;
}

/** The built-in profile that a policy without a name is equal to, if it is to one. */
function builtInOf(profile: PermissionProfile): string | undefined {
  const text = canonicalProfile(profile);
  return BUILT_IN_PROFILES.find((id) => canonicalProfile(builtInProfile(id)) === text);
}

const UNENFORCED: readonly ProfileMode[] = ["danger-full-access", "external-sandbox"];

function refusedMode(ceiling: Ceiling, profile: PermissionProfile): Refusal | undefined {
  const { allowedModes, denies, source } = ceiling;
  const mode = ceilingMode(profile);
  const refusal = { allowed: false, field: "sandbox_mode", candidate: mode, source } as const;
  if (allowedModes !== undefined && !allowedModes.includes(mode)) {
    return { ...refusal, allowedSet: allowedModes };
  }
  if (denies.length > 0 && UNENFORCED.includes(modeOfProfile(profile))) {
    return { ...refusal, allowedSet: ["read-only", "workspace-write"] };
  }
  return undefined;
}

/**
 * Under a ceiling, a write grant on the whole disk counts as full access even with carve-outs:
 * otherwise denying one unimportant file would turn it into "workspace-write".
 */
function ceilingMode(profile: PermissionProfile): ProfileMode {
  const mode = modeOfProfile(profile);
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return mode;
  const wholeDisk = profile.fileSystem.entries.some(
    ({ target, access }) =>
      access === "write" &&
      (target.type === "root" || (target.type === "path" && target.path === "file:///")),
  );
  return wholeDisk ? "danger-full-access" : mode;
}

function reopenedDeny(ceiling: Ceiling, profile: PermissionProfile): Refusal | undefined {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return undefined;
  const denied = new Set(
    ceiling.denies.flatMap(({ target }) =>
      target.type === "path" ? [comparableUri(target.path)] : [],
    ),
  );
  if (denied.size === 0) return undefined;
  for (const { target, access } of profile.fileSystem.entries) {
    if (access === "deny" || target.type !== "path" || !isBelowAny(target.path, denied)) continue;
    return {
      allowed: false,
      field: "permissions.filesystem",
      candidate: target.path,
      allowedSet: ["all managed deny_read restrictions"],
      source: ceiling.source,
    };
  }
  return undefined;
}
