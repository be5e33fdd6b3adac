/**
 * Which policy holds for a thread, a turn or a command: precedence, and nothing else.
 *
 * Asked-for beats kept beats configured. Every choice is put under the bounds of
 * this host before anybody hears of it; a choice that is refused changes nothing.
 */
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type ChosenProfile,
  type Config,
  chooseProfile,
  defaultChoice,
  modePolicy,
} from "../../config/index.ts";
import type { ExecHost } from "../../exec/index.ts";
import {
  firstWidening,
  type PermissionProfile,
  preserveDenies,
  profileDigest,
  profileOfPolicy,
} from "../../policy/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { AppConfig, LoadConfig } from "./app-config.ts";
import { type Application, applyPolicy } from "./apply-policy.ts";
import { bindElsewhere } from "./bind-elsewhere.ts";
import type { ChosenPolicy, CurrentPolicy, PolicyRequest } from "./chosen-policy.ts";
import { filedName } from "./filed-name.ts";
import { goesOn } from "./goes-on.ts";
import { cannotApply, invalidPolicy, type RefusalWording } from "./invalid-policy.ts";
import { askOfOverrides, type PolicyAsk } from "./policy-ask.ts";
import type { PolicyPlace } from "./policy-place.ts";
import { refuseRoots } from "./refuse-roots.ts";
import { type SeenFolder, seeFolders } from "./see-folders.ts";
import type { ThreadPolicy } from "./thread-policy.ts";

export interface PolicyChooserOptions {
  readonly load: LoadConfig;
  readonly host: ExecHost;
  /** The home of the user, for `~` in profiles. */
  readonly home: string;
}

interface Selection {
  readonly policy: ThreadPolicy;
  readonly roots: readonly string[];
  /** What it must not exceed, and the roots that come with that. */
  readonly within?: { readonly profile: PermissionProfile; readonly roots: readonly string[] };
}

export class PolicyChooser {
  readonly #options: PolicyChooserOptions;

  constructor(options: PolicyChooserOptions) {
    this.#options = options;
  }

  /** For a thread that begins, or a command of its own. */
  async choose(request: PolicyRequest, wording: RefusalWording = "start"): Promise<ChosenPolicy> {
    const config = await this.#load(request, wording);
    const selection = this.#select(request.ask, config, wording);
    const own = request.roots ?? [request.cwd];
    return this.#apply({ selection, own, cwd: request.cwd, seen: [] }, config, { wording });
  }

  /**
   * For a thread that has a policy. A coarse or full policy cannot say denies, so those of the
   * current one stay; a name says everything, so it replaces all. Roots that were given earlier
   * belong to what is replaced.
   */
  async override(
    request: PolicyRequest,
    current: CurrentPolicy | ChosenPolicy,
  ): Promise<ChosenPolicy> {
    const wording = "override";
    const config = await this.#load(request, wording);
    const { ask } = request;
    if (goesOn(request, config, current)) {
      const seen = this.#see(current.place, current.seen, wording);
      return { ...current, seen, state: "current" };
    }
    const selection = this.#overriding(ask, { config, current, wording });
    const own = rootsAfter(request, current);
    const replaces = { profile: current.policy.profile, place: current.place };
    return this.#apply({ selection, own, cwd: request.cwd, seen: current.seen }, config, {
      wording,
      ...(ask.kind !== "named" && { replaces, elsewhere: request.elsewhere }),
    });
  }

  /**
   * For a thread that was kept. A name that stands for something else now is followed only where
   * that is narrower; otherwise what was agreed to stays, under the denies of today.
   */
  async resume(request: PolicyRequest, kept: CurrentPolicy): Promise<ChosenPolicy> {
    if (request.ask.kind !== "nothing") return this.override(request, kept);
    const wording = "start";
    const config = await this.#load(request, wording);
    const ask = askOfOverrides(config);
    if (ask.kind !== "nothing") return this.override({ ...request, ask }, kept);
    const { origin } = kept.policy;
    const own = rootsAfter(request, kept);
    const replaces = { profile: kept.policy.profile, place: kept.place };
    const apply = (policy: ThreadPolicy, under = config) => {
      const selection = { policy, roots: broughtBy(policy) };
      const at = { selection, own, cwd: request.cwd, seen: kept.seen };
      return this.#apply(at, under, { wording, replaces, elsewhere: request.elsewhere });
    };
    if (origin.kind === "policy") return apply(kept.policy);
    const today = this.#today(origin.id, config);
    if (today === undefined) return { ...apply(kept.policy), state: "removed" };
    if (isDefinedAlike(today, kept.policy)) return apply(kept.policy);
    // Only compared with: what comes of it is held to the ceilings.
    const agreed = apply(kept.policy, { ...config, ceilings: [] });
    const { profile: named, workspaceRoots } = today;
    const roots = origin.roots.filter((root) => workspaceRoots.includes(root));
    const defined = unlessTooWide(() => apply({ profile: named, origin: { ...origin, roots } }));
    if (defined !== undefined && !widens(defined, agreed, request)) {
      return { ...defined, state: "redefined" };
    }
    const profile = this.#keepDenies(named, kept.policy.profile, wording);
    return { ...apply({ ...kept.policy, profile }), state: "redefined" };
  }

  #today(id: string, config: Config): ChosenProfile | undefined {
    try {
      return chooseProfile(config, id, this.#options.home);
    } catch {
      // Removed, or broken since: what was agreed to holds.
      return undefined;
    }
  }

  async #load({ cwd, overrides }: PolicyRequest, wording: RefusalWording): Promise<AppConfig> {
    try {
      return await this.#options.load(cwd, overrides);
    } catch (cause) {
      const refused = invalidPolicy(cause, wording);
      if (refused === cause || !(cause instanceof Error)) throw cause;
      const message = `failed to load configuration: ${cause.message}`;
      throw new RpcError("invalidRequest", message, { cause });
    }
  }

  #select(ask: PolicyAsk, config: Config, wording: RefusalWording): Selection {
    const { home } = this.#options;
    try {
      switch (ask.kind) {
        case "named":
          return selectionOf(chooseProfile(config, ask.id, home));
        case "policy":
          return plain(profileOfPolicy(ask.policy));
        case "mode":
          return plain(profileOfPolicy(modePolicy(ask.mode, config.settings)));
        case "nothing": {
          const choice = defaultChoice(config, home);
          return choice.kind === "profile"
            ? selectionOf(choice.chosen)
            : plain(profileOfPolicy(choice.policy));
        }
      }
    } catch (cause) {
      throw invalidPolicy(cause, wording);
    }
  }

  #overriding(
    ask: PolicyAsk,
    {
      config,
      current,
      wording,
    }: { config: Config; current: CurrentPolicy; wording: RefusalWording },
  ): Selection {
    if (ask.kind === "nothing") {
      return { policy: current.policy, roots: broughtBy(current.policy) };
    }
    const selection = this.#select(ask, config, wording);
    if (ask.kind === "named") return selection;
    return plain(this.#keepDenies(current.policy.profile, selection.policy.profile, wording));
  }

  #keepDenies(
    current: PermissionProfile,
    next: PermissionProfile,
    wording: RefusalWording,
  ): PermissionProfile {
    try {
      return preserveDenies(current, next, { mayDropDenies: false });
    } catch (cause) {
      throw invalidPolicy(cause, wording);
    }
  }

  #apply(
    { selection, own, cwd, seen: before }: Placing,
    config: AppConfig,
    how: Pick<Application, "wording" | "replaces" | "elsewhere">,
  ): ChosenPolicy {
    const { policy, within } = selection;
    const { host, home } = this.#options;
    const at = (roots: readonly string[]) => ({
      cwd,
      workspaceRoots: unique([...own, ...roots.map((root) => path.resolve(cwd, root))]),
    });
    const place = at(selection.roots);
    const bounds = within && { profile: within.profile, place: at(within.roots) };
    if (bounds !== undefined) refuseRoots(place, bounds.place, how.wording);
    const seen = this.#see(place, before, how.wording);
    const name = filedName(policy, config, home);
    const { ceilings } = config;
    const asked = {
      policy,
      name,
      place,
      ceilings,
      host,
      ...(bounds && { within: bounds }),
      ...how,
    };
    return { policy, place, seen, bound: applyPolicy(asked), state: "current", config };
  }

  #see(place: PolicyPlace, before: readonly SeenFolder[], wording: RefusalWording) {
    try {
      return seeFolders(place, before);
    } catch (cause) {
      throw cannotApply(cause, wording);
    }
  }
}

interface Placing {
  readonly selection: Selection;
  /** The roots that no profile brought. */
  readonly own: readonly string[];
  readonly cwd: string;
  readonly seen: readonly SeenFolder[];
}

/** Whether a name stands for the same rules, and brings the same roots. */
function isDefinedAlike({ profile, workspaceRoots }: ChosenProfile, kept: ThreadPolicy): boolean {
  const isSame = profileDigest(profile) === profileDigest(kept.profile);
  return isSame && isDeepStrictEqual(workspaceRoots, broughtBy(kept));
}

/** Nothing for what a ceiling, or a deny that it would lift, refuses: that allows no less than before. */
function unlessTooWide(apply: () => ChosenPolicy): ChosenPolicy | undefined {
  try {
    return apply();
  } catch (cause) {
    if (cause instanceof RpcError && cause.code === "invalidRequest") return undefined;
    throw cause;
  }
}

/** Whether one opens more than the other, here or where the thread works. */
function widens(next: ChosenPolicy, agreed: ChosenPolicy, { elsewhere }: PolicyRequest): boolean {
  if (firstWidening(next.bound, agreed.bound) !== undefined) return true;
  if (elsewhere === undefined) return false;
  const now = bindElsewhere(next.policy.profile, elsewhere.to);
  return firstWidening(now, bindElsewhere(agreed.policy.profile, elsewhere.from)) !== undefined;
}

function plain(profile: PermissionProfile): Selection {
  return { policy: { profile, origin: { kind: "policy" } }, roots: [] };
}

function selectionOf(chosen: ChosenProfile): Selection {
  const { id, extends: parent = null, profile, workspaceRoots, within } = chosen;
  return {
    policy: { profile, origin: { kind: "named", id, extends: parent, roots: workspaceRoots } },
    roots: workspaceRoots,
    ...(within && { within: { profile: within.profile, roots: within.workspaceRoots } }),
  };
}

function broughtBy({ origin }: ThreadPolicy): readonly string[] {
  return origin.kind === "named" ? origin.roots : [];
}

/** The roots that no profile brought. A folder that moves takes its place among them along. */
function rootsAfter(
  { ask, cwd, roots }: PolicyRequest,
  { policy, place }: CurrentPolicy,
): readonly string[] {
  if (roots !== null) return roots;
  if (ask.kind === "policy" || ask.kind === "mode") return [cwd];
  const brought = broughtBy(policy).map((root) => path.resolve(place.cwd, root));
  return place.workspaceRoots
    .filter((root) => root === place.cwd || !brought.includes(root))
    .map((root) => (root === place.cwd ? cwd : root));
}

function unique(roots: readonly string[]): string[] {
  return [...new Set(roots)];
}
