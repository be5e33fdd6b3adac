import path from "node:path";
import { loadConfig } from "../config/index.ts";
import { type AbsolutePath, type BoundProfile, parseAbsolutePath } from "../policy/index.ts";
import { bindAskedPolicy } from "./bind-asked-policy.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { type AskedPolicy, readPolicyFlags } from "./policy-flags.ts";
import { writHome } from "./writ-home.ts";

const REQUIREMENTS = "/etc/writ/requirements.toml";

export interface BoundFlags {
  readonly bound: BoundProfile;
  /** The folder of `-C`, or the current one. */
  readonly folder: AbsolutePath;
}

/** The policy that the flags and the configuration files ask for, bound to this host. */
export async function bindFlags(flags: FlagValues, world: CliWorld): Promise<BoundFlags> {
  const folder = folderOf(flags, world);
  const config = loadConfig({
    writHome: ownHome(world),
    folder,
    requirements: REQUIREMENTS,
    hostname: world.hostname,
  });
  const asked = await readPolicyFlags(flags, world, config);
  const wanted = flags.network ? withNetwork(asked) : asked;
  return { bound: bindAskedPolicy(wanted, { world, config, folder }), folder };
}

/** The folder for what is writ's own. Throws where it would not be out of a command's reach. */
export function ownHome({ env, home }: CliWorld): string {
  const found = writHome(env, home);
  if (found !== undefined) return found;
  throw new UsageError(
    "Cannot find the user's settings: WRIT_HOME or HOME is not an absolute path, expected one",
  );
}

function folderOf({ cd = "." }: FlagValues, { cwd }: CliWorld): AbsolutePath {
  if (cd === "") throw new UsageError('Cannot use -C "": it is empty, expected a folder');
  return parseAbsolutePath(path.resolve(cwd, String(cd)));
}

/** Asked for before the bounds are applied, so that they apply. Rules are more than "on" can say. */
function withNetwork(asked: AskedPolicy): AskedPolicy {
  const { profile } = asked;
  if (profile.type === "disabled") return asked;
  if (profile.network.kind === "ruled") {
    throw new UsageError("Cannot use --network: the policy has network rules, expected none");
  }
  return { ...asked, profile: { ...profile, network: { kind: "enabled" } } };
}
