import path from "node:path";
import { loadConfig } from "../config/index.ts";
import { type Explanation, explain, parseAbsolutePath } from "../policy/index.ts";
import { bindAskedPolicy } from "./bind-asked-policy.ts";
import type { CliWorld, FlagValues } from "./command.ts";
import { readPolicyFlags } from "./policy-flags.ts";

const REQUIREMENTS = "/etc/writ/requirements.toml";

/** Binds the policy that the flags ask for and explains each path under it. */
export async function explainPaths(
  flags: FlagValues,
  paths: readonly string[],
  world: CliWorld,
): Promise<Explanation[]> {
  const folder = parseAbsolutePath(path.resolve(world.cwd, String(flags.cd ?? ".")));
  const config = loadConfig({
    writHome: world.env.WRIT_HOME || path.join(world.home, ".writ"),
    folder,
    requirements: REQUIREMENTS,
    hostname: world.hostname,
  });
  const asked = await readPolicyFlags(flags, world, config);
  const bound = bindAskedPolicy(asked, { world, config, folder });
  return paths.map((one) => explain(bound, parseAbsolutePath(path.resolve(folder, one))));
}
