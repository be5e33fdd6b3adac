/**
 * Which policy holds for a thread, a turn or a command: precedence, and nothing else.
 *
 * Asked-for beats kept beats configured. Every choice is put under the bounds of
 * this host before anybody hears of it; a choice that is refused changes nothing.
 */
import path from "node:path";
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
import { type Application, applyPolicy, type PolicyPlace } from "./apply-policy.ts";
import type { ChosenPolicy, CurrentPolicy, PolicyRequest } from "./chosen-policy.ts";
import { filedName } from "./filed-name.ts";
import { invalidPolicy, type RefusalWording } from "./invalid-policy.ts";
import type { PolicyAsk } from "./policy-ask.ts";
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
  readonly within?: PermissionProfile;
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
    const roots = unique([...(request.roots ?? [request.cwd]), ...added(selection, request.cwd)]);
    return this.#apply({ selection, place: { cwd: request.cwd, workspaceRoots: roots } }, config, {
      wording,
    });
  }

  /**
   * For a thread that has a policy. A coarse or full policy cannot say denies, so those of the
   * current one stay; a name says everything, so it replaces all. Roots that were given earlier
   * belong to what is replaced.
   */
  async override(request: PolicyRequest, current: CurrentPolicy): Promise<ChosenPolicy> {
    const wording = "override";
    const config = await this.#load(request, wording);
    const { ask } = request;
    const selection = this.#overriding(ask, { config, current, wording });
    const place = {
      cwd: request.cwd,
      workspaceRoots: unique([
        ...rootsAfter(request, current.place),
        ...(ask.kind === "nothing" ? [] : added(selection, request.cwd)),
      ]),
    };
    const isCoarse = ask.kind === "policy" || ask.kind === "mode";
    const replaces = { profile: current.policy.profile, place: current.place };
    return this.#apply({ selection, place }, config, { wording, ...(isCoarse && { replaces }) });
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
    const place = { cwd: request.cwd, workspaceRoots: rootsAfter(request, kept.place) };
    const apply = (policy: ThreadPolicy, under = config) =>
      this.#apply({ selection: { policy, roots: [] }, place }, under, { wording });
    if (origin.kind === "policy") return apply(kept.policy);
    const today = this.#today(origin.id, config);
    if (today === undefined) return { ...apply(kept.policy), state: "removed" };
    if (profileDigest(today.profile) === profileDigest(kept.policy.profile)) {
      return apply(kept.policy);
    }
    // Only compared with: what comes of it is held to the ceilings.
    const agreed = apply(kept.policy, { ...config, ceilings: [] });
    const defined = apply({ ...kept.policy, profile: today.profile });
    if (firstWidening(defined.bound, agreed.bound) === undefined) {
      return { ...defined, state: "redefined" };
    }
    const profile = this.#keepDenies(today.profile, kept.policy.profile, wording);
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
    if (ask.kind === "nothing") return { policy: current.policy, roots: [] };
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
    { selection, place }: { selection: Selection; place: PolicyPlace },
    config: AppConfig,
    how: Pick<Application, "wording" | "replaces">,
  ): ChosenPolicy {
    const { policy, within } = selection;
    const { host, home } = this.#options;
    const { ceilings } = config;
    const name = filedName(policy, config, home);
    const asked = { policy, name, place, ceilings, host, ...(within && { within }), ...how };
    const bound = applyPolicy(asked);
    return { policy, place, bound, state: "current", config };
  }
}

/** What the settings of the request itself choose. */
function askOfOverrides({ defaultFrom, user, settings }: Config): PolicyAsk {
  if (defaultFrom !== "overrides") return { kind: "nothing" };
  const { defaultPermissions: id } = user;
  if (id !== undefined) return { kind: "named", id };
  const { sandboxMode: mode } = settings;
  return mode === undefined ? { kind: "nothing" } : { kind: "mode", mode };
}

function plain(profile: PermissionProfile): Selection {
  return { policy: { profile, origin: { kind: "policy" } }, roots: [] };
}

function selectionOf(chosen: ChosenProfile): Selection {
  const { id, extends: parent = null, profile, workspaceRoots, within } = chosen;
  return {
    policy: { profile, origin: { kind: "named", id, extends: parent } },
    roots: workspaceRoots,
    ...(within && { within: within.profile }),
  };
}

function added({ roots }: Selection, cwd: string): string[] {
  return roots.map((root) => path.resolve(cwd, root));
}

/** A folder that moves takes its place among the roots along. */
function rootsAfter({ ask, cwd, roots }: PolicyRequest, current: PolicyPlace): readonly string[] {
  if (roots !== null) return roots;
  if (ask.kind === "policy" || ask.kind === "mode") return [cwd];
  return current.workspaceRoots.map((root) => (root === current.cwd ? cwd : root));
}

function unique(roots: readonly string[]): string[] {
  return [...new Set(roots)];
}
