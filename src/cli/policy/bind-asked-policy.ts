/**
 * From the policy that was asked for to the one that holds on this host.
 *
 * Every bound that applies is applied here: the operator's ceiling, and the
 * user's own profile where a project file asked. A policy that goes beyond one
 * of them is refused with the place where it does; it is never cut to size.
 */
import path from "node:path";
import { type Config, ConfigError } from "../../config/index.ts";
import { realPathIfKnown } from "../../exec/index.ts";
import {
  type AbsolutePath,
  type BoundProfile,
  bindProfile,
  canSet,
  ceilingMessage,
  type Detour,
  firstDetour,
  firstWidening,
  type HostRoots,
  hostPathOfUri,
  PolicyError,
  parseAbsolutePath,
  underCeiling,
  type Widening,
} from "../../policy/index.ts";
import { probeHostRoots, systemOf } from "../../sandbox/index.ts";
import type { CliWorld } from "../command.ts";
import type { AskedPolicy } from "./asked-policy.ts";

export interface BindPlace {
  readonly world: CliWorld;
  readonly config: Config;
  /** The folder the policy is meant for, unless a client's state brings its own. */
  readonly folder: AbsolutePath;
  /** Whether whoever started this vouches for a sandbox around it. */
  readonly externalSandbox: HostRoots["externalSandbox"];
}

/** Binds, checks and bounds a policy. Throws rather than return anything wider than allowed. */
export function bindAskedPolicy(asked: AskedPolicy, place: BindPlace): BoundProfile {
  const { ceiling } = place.config;
  if (ceiling !== undefined) {
    const verdict = canSet(ceiling, { form: "profile", ...asked });
    if (!verdict.allowed) throw new PolicyError("malformed", ceilingMessage(verdict, "plain"));
  }
  const host = hostFor(asked.workspaceRoots, asked, place);
  const bound = bindProfile(asked.profile, host);
  refuseWidening(asked, bound, place);
  return ceiling === undefined ? bound : underCeiling(bound, ceiling, host);
}

function hostFor(
  roots: readonly string[],
  { state }: AskedPolicy,
  { world, folder, externalSandbox }: BindPlace,
): HostRoots {
  const cwd = state === undefined ? folder : hostPathOfUri(state.cwd, systemOf(world.platform));
  const added = roots.map((root) => parseAbsolutePath(path.resolve(cwd, root)));
  return probeHostRoots({
    cwd,
    workspaceRoots: [cwd, ...added],
    env: world.env,
    platform: world.platform,
    externalSandbox,
  });
}

function refuseWidening(asked: AskedPolicy, bound: BoundProfile, place: BindPlace): void {
  const { within } = asked;
  if (within === undefined) return;
  const limit = bindProfile(within.profile, hostFor(within.workspaceRoots, asked, place));
  const widening = firstWidening(bound, limit);
  const detour = firstDetour(bound, limit, realPathIfKnown);
  const what =
    widening !== undefined ? describe(widening) : detour === undefined ? undefined : led(detour);
  if (what === undefined) return;
  throw new ConfigError(
    "widens",
    `Cannot use profile "${asked.id}" of "${asked.file}": ${what}, and a project file may only narrow "${within.id}"`,
  );
}

function led({ path: at, leadsTo, asked }: Detour): string {
  const where = leadsTo === undefined ? "which leads nowhere" : `which leads to "${leadsTo}"`;
  return `it grants ${asked} on "${at}", ${where}`;
}

function describe(widening: Widening): string {
  switch (widening.what) {
    case "path":
      return `it grants ${widening.asked} on "${widening.path}", where ${widening.allowed} is allowed`;
    case "glob":
      return `it does not deny ${JSON.stringify(widening.pattern)}`;
    case "scanDepth":
      return "it looks less deep for what patterns deny";
    case "limit":
      return `it does not keep the limit "${widening.limit}"`;
    case "network":
      return "it opens the network further";
    case "unixSockets":
      return `it sets unix sockets to "${widening.asked}", where "${widening.allowed}" is allowed`;
    case "enforcement":
      return "it waives the sandbox";
  }
}
