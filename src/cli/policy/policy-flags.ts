import type { Config } from "../../config/index.ts";
import {
  policyForMode,
  profileOfPolicy,
  SANDBOX_MODES,
  type SandboxMode,
} from "../../policy/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import type { AskedPolicy } from "./asked-policy.ts";
import { POLICY_SOURCES } from "./policy-sources.ts";

/** Reads the one policy source that was given, else the configured default. */
export async function readPolicyFlags(
  flags: FlagValues,
  world: CliWorld,
  config: Config,
): Promise<AskedPolicy> {
  const given = POLICY_SOURCES.filter((name) => flags[name] !== undefined);
  const [source] = given;
  if (given.length > 1) {
    const names = given.map((name) => `--${name}`).join(" and ");
    throw new UsageError(`Cannot choose a policy: found ${names}, expected one of them`);
  }
  if (source === "sandbox") {
    const profile = profileOfPolicy(policyForMode(parseMode(String(flags.sandbox))));
    return { profile, workspaceRoots: [] };
  }
  // Everything else is read by a schema; what builds those is loaded only then.
  const { configuredDefault, readPolicySource } = await import("./read-policy-source.ts");
  if (source === undefined) return configuredDefault(world, config);
  return readPolicySource(source, { text: String(flags[source]), world, config });
}

function parseMode(text: string): SandboxMode {
  const mode = SANDBOX_MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  const expected = SANDBOX_MODES.join(", ");
  throw new UsageError(`Cannot use mode "${text}": expected ${expected}`);
}
