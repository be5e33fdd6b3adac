import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/index.ts";
import type { Ceiling } from "../../policy/index.ts";
import type { AppConfig } from "./app-config.ts";
import type { ChosenPolicy, CurrentPolicy, PolicyRequest } from "./chosen-policy.ts";

/**
 * Whether a thread goes on as before, under the configuration that it was held to: most turns do. Its policy
 * is put under the bounds of this host again with each command.
 */
export function goesOn(
  { ask, cwd, roots, elsewhere }: PolicyRequest,
  config: AppConfig,
  current: CurrentPolicy | ChosenPolicy,
): current is ChosenPolicy {
  if (!("config" in current) || !isSame(config, current.config)) return false;
  if (ask.kind !== "nothing" || roots !== null || cwd !== current.place.cwd) return false;
  return elsewhere === undefined || isDeepStrictEqual(elsewhere.from, elsewhere.to);
}

/** While no file changes, what is read of it is one and the same. */
function isSame({ ceilings, ...config }: AppConfig, other: AppConfig): boolean {
  const members = Object.entries(config);
  return (
    members.every(([key, value]) => value === other[key as keyof Config]) &&
    areSame(ceilings, other.ceilings)
  );
}

function areSame(some: readonly Ceiling[], others: readonly Ceiling[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
