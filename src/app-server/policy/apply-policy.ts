/**
 * Puts a policy under the bounds of this host, or refuses it.
 *
 * What is checked here is checked again where a command starts; here it is said
 * while there is still somebody to say it to, and before a thread exists.
 */
import { isDeepStrictEqual } from "node:util";
import { bindIntent, type ExecHost, realPathIfKnown } from "../../exec/index.ts";
import {
  type BoundProfile,
  type Ceiling,
  canSet,
  ceilingMessage,
  type ExecContext,
  firstDetour,
  firstWidening,
  liftedDeny,
  type PermissionProfile,
  PolicyError,
  parseAbsolutePath,
  uriOfNative,
} from "../../policy/index.ts";
import { bindElsewhere } from "./bind-elsewhere.ts";
import { cannotApply, invalidPolicy, type RefusalWording } from "./invalid-policy.ts";
import type { MovedElsewhere, PolicyPlace } from "./policy-place.ts";
import type { ThreadPolicy } from "./thread-policy.ts";

export interface Application {
  readonly policy: ThreadPolicy;
  /** What it is called on a list of profiles; nothing where the list could not mean it. */
  readonly name: string | undefined;
  readonly place: PolicyPlace;
  readonly ceilings: readonly Ceiling[];
  readonly host: ExecHost;
  /** What it must not exceed: set where an untrusted file chose it. */
  readonly within?: { readonly profile: PermissionProfile; readonly place: PolicyPlace };
  /** The profile that it replaces, whose denies it must not lift. */
  readonly replaces?: { readonly profile: PermissionProfile; readonly place: PolicyPlace };
  /** Where the thread works on another machine: what it replaces had its denies there. */
  readonly elsewhere?: MovedElsewhere | undefined;
  readonly wording: RefusalWording;
}

/** The policy on this host. Throws `RpcError` where it is not allowed or cannot be had. */
export function applyPolicy(asked: Application): BoundProfile {
  const { policy, place, wording } = asked;
  refuseOverCeiling(asked);
  const bind = (profile: PermissionProfile, at: PolicyPlace, host = asked.host) => {
    try {
      return bindIntent(
        { kind: "enforce", context: contextOf(profile, at) },
        parseAbsolutePath(at.cwd),
        host,
      ).bound;
    } catch (cause) {
      throw cannotApply(cause, wording);
    }
  };
  const bound = bind(policy.profile, place);
  const { within, replaces } = asked;
  if (within !== undefined) refuseWidening(bound, bind(within.profile, within.place), wording);
  if (replaces !== undefined && !isSamePolicy(replaces, asked)) {
    // It may have become too much for this host; what replaces it is less.
    const host = { ...asked.host, bounds: UNBOUNDED };
    refuseLifting(bind(replaces.profile, replaces.place, host), bound, wording);
  }
  if (replaces !== undefined) refuseLiftingElsewhere(replaces.profile, asked);
  return bound;
}

function refuseLiftingElsewhere(replaced: PermissionProfile, asked: Application): void {
  const { policy, elsewhere, wording } = asked;
  if (elsewhere === undefined) return;
  const { from, to } = elsewhere;
  if (policy.profile === replaced && isDeepStrictEqual(from, to)) return;
  const bind = (profile: PermissionProfile, at: PolicyPlace) => {
    try {
      return bindElsewhere(profile, at);
    } catch (cause) {
      throw cannotApply(cause, wording);
    }
  };
  refuseLifting(bind(replaced, from), bind(policy.profile, to), wording);
}

/** Nothing lifts a deny of itself, and most turns go on as the one before. */
function isSamePolicy(
  replaces: NonNullable<Application["replaces"]>,
  { policy, place }: Application,
): boolean {
  return policy.profile === replaces.profile && isDeepStrictEqual(place, replaces.place);
}

const UNBOUNDED: ExecHost["bounds"] = {
  ceilings: [],
  roots: "any",
  waivers: "allowed",
  hostNetwork: "allowed",
};

/** A profile with its place, as it goes to an executor. */
export function contextOf(profile: PermissionProfile, place: PolicyPlace): ExecContext {
  return {
    profile,
    cwd: uriOfNative(place.cwd),
    workspaceRoots: place.workspaceRoots.map(uriOfNative),
    settings: { windowsSandboxLevel: "disabled" },
  };
}

function refuseOverCeiling({ policy, name, ceilings, wording }: Application): void {
  const { profile } = policy;
  const id = name === undefined ? {} : { id: name };
  for (const ceiling of ceilings) {
    const verdict = canSet(ceiling, { form: "profile", profile, ...id });
    if (verdict.allowed) continue;
    throw invalidPolicy(new PolicyError("widens", ceilingMessage(verdict, "codex")), wording);
  }
}

function refuseWidening(bound: BoundProfile, within: BoundProfile, wording: RefusalWording): void {
  const wider = firstWidening(bound, within);
  const detour = firstDetour(bound, within, realPathIfKnown);
  if (wider === undefined && detour === undefined) return;
  const at = detour ?? (wider?.what === "path" ? wider : undefined);
  const where = at === undefined ? wider?.what : `"${at.path}"`;
  const what = `a project file chose it, and it opens more than the user's own profile (${where})`;
  const ways = "The user may choose it by name, or set default_permissions in config.toml";
  throw invalidPolicy(
    new PolicyError("widens", `Cannot use the profile: ${what}. ${ways}`),
    wording,
  );
}

function refuseLifting(current: BoundProfile, next: BoundProfile, wording: RefusalWording): void {
  const lifted = liftedDeny(current, next);
  if (lifted === undefined) return;
  const what = `it grants ${lifted.asked} to "${lifted.path}", which the current policy denies`;
  throw invalidPolicy(new PolicyError("widens", `Cannot override the policy: ${what}`), wording);
}
