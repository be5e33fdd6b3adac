import path from "node:path";
import { loadConfig } from "../config/index.ts";
import { type AbsolutePath, type BoundProfile, parseAbsolutePath } from "../policy/index.ts";
import { bindAskedPolicy } from "./bind-asked-policy.ts";
import type { CliWorld, FlagValues } from "./command.ts";
import { readPolicyFlags } from "./policy-flags.ts";
import { writHome } from "./writ-home.ts";

const REQUIREMENTS = "/etc/writ/requirements.toml";

export interface BoundFlags {
  readonly bound: BoundProfile;
  /** The folder of `-C`, or the current one. */
  readonly folder: AbsolutePath;
}

/** The policy that the flags and the configuration files ask for, bound to this host. */
export async function bindFlags(flags: FlagValues, world: CliWorld): Promise<BoundFlags> {
  const folder = parseAbsolutePath(path.resolve(world.cwd, String(flags.cd ?? ".")));
  const config = loadConfig({
    writHome: writHome(world),
    folder,
    requirements: REQUIREMENTS,
    hostname: world.hostname,
  });
  const asked = await readPolicyFlags(flags, world, config);
  return { bound: bindAskedPolicy(asked, { world, config, folder }), folder };
}
