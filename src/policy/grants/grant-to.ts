/**
 * A policy with a grant on top: more than it allowed, and never more than was asked.
 *
 * What counts is what was both asked for and given. A deny stands, also below
 * what is granted, and so does every ceiling. Nothing that was allowed is lost:
 * an entry is added only where it opens something.
 */
import type { BoundProfile } from "../access/bound-profile.ts";
import { type Decision, decide } from "../access/decide.ts";
import { type Ceiling, canSet } from "../bounds/ceiling.ts";
import { ceilingMessage } from "../bounds/ceiling-message.ts";
import { type HostSystem, hostPathOfUri } from "../paths/native-of-uri.ts";
import { PolicyError } from "../policy-error.ts";
import { ACCESS_RANK, allowsMore } from "../profile/access.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import { commonGrant, type Grant, type GrantedPath, isEmptyGrant } from "./grant.ts";

export interface AskedGrant {
  readonly asked: Grant;
  /** Whoever gives may say anything; it counts as far as it was asked for. */
  readonly given: Grant;
}

/** What a grant is held against. */
export interface GrantBounds {
  /** Gives a profile its meaning where it is enforced. Throws where it cannot be had there. */
  readonly bind: (profile: PermissionProfile) => BoundProfile;
  readonly system: HostSystem;
  /** All of them hold. */
  readonly ceilings: readonly Ceiling[];
}

/** What the policy keeps, though it was asked for and given. */
export interface KeptRule {
  /** A path, or the network. */
  readonly what: string;
  readonly rule: string;
}

export interface GrantedProfile {
  readonly profile: PermissionProfile;
  /** What it allows now and did not before. */
  readonly granted: Grant;
  readonly kept: readonly KeptRule[];
}

type Managed = Extract<PermissionProfile, { type: "managed" }>;

/** Puts a grant on a policy. Throws {@link PolicyError} where it cannot be had at all. */
export function grantTo(
  profile: PermissionProfile,
  { asked, given }: AskedGrant,
  bounds: GrantBounds,
): GrantedProfile {
  if (profile.type !== "managed") {
    const what = "writ does not enforce the policy, expected one that it does";
    throw new PolicyError("unrepresentable", `Cannot grant more: ${what}`);
  }
  const { network, files } = commonGrant(asked, given);
  const opened = openNetwork(profile, network);
  const [widened, opens] = openFiles(opened.profile, files, bounds);
  const granted = { network: opened.granted, files: opens.granted };
  if (isEmptyGrant(granted)) return { profile, granted, kept: [...opened.kept, ...opens.kept] };
  refuseOverCeiling(widened, bounds);
  // A host may refuse what no rule of the policy does.
  bounds.bind(widened);
  return { profile: widened, granted, kept: [...opened.kept, ...opens.kept] };
}

/** Rules for destinations hold denies too: a network that has some is left as it is. */
function openNetwork(profile: Managed, wanted: boolean) {
  const { network } = profile;
  const unchanged = { profile, granted: false, kept: [] };
  if (!wanted || network.kind === "enabled") return unchanged;
  if (network.kind === "restricted") {
    return { profile: { ...profile, network: ENABLED }, granted: true, kept: [] };
  }
  return { ...unchanged, kept: [{ what: "the network", rule: "rules for destinations" }] };
}

const ENABLED = { kind: "enabled" } as const;

/** Broad places first, so that a narrow one with less access takes nothing away from a broad one. */
function openFiles(
  profile: Managed,
  files: readonly GrantedPath[],
  { bind, system }: GrantBounds,
): [Managed, { readonly granted: GrantedPath[]; readonly kept: KeptRule[] }] {
  const granted: GrantedPath[] = [];
  const kept: KeptRule[] = [];
  let current = profile;
  for (const one of files.toSorted(byBreadth)) {
    const path = hostPathOfUri(one.path, system);
    const decision = decide(bind(current), path);
    const rule = denyOf(decision);
    if (rule !== undefined) kept.push({ what: path, rule });
    else if (allowsMore(one.access, decision.access)) {
      current = withEntry(current, one);
      granted.push(one);
    }
  }
  return [current, { granted, kept }];
}

/** A place above another has the shorter URI; of one place, writing says all. */
function byBreadth(a: GrantedPath, b: GrantedPath): number {
  return a.path.length - b.path.length || ACCESS_RANK[b.access] - ACCESS_RANK[a.access];
}

/** The rule that denies; nothing where a place is closed only because no entry opens it. */
function denyOf(decision: Decision): string | undefined {
  if (decision.by === "glob") return decision.glob.rule;
  if (decision.by === "entry" && decision.access === "deny") return decision.entry.rule;
  return undefined;
}

function withEntry(profile: Managed, { path, access }: GrantedPath): Managed {
  const { fileSystem } = profile;
  if (fileSystem.type === "unrestricted") return profile;
  const entries = [...fileSystem.entries, { target: { type: "path" as const, path }, access }];
  return { ...profile, fileSystem: { ...fileSystem, entries } };
}

function refuseOverCeiling(profile: Managed, { ceilings }: GrantBounds): void {
  for (const ceiling of ceilings) {
    const verdict = canSet(ceiling, { form: "profile", profile });
    if (verdict.allowed) continue;
    throw new PolicyError("widens", `Cannot grant more: ${ceilingMessage(verdict, "plain")}`);
  }
}
