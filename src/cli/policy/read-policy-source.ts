/** Reads a policy from the sources that are documents: a client's state, a policy, a profile. */
import path from "node:path";
import {
  type Config,
  chooseProfile,
  defaultProfile,
  readBoundedFile,
  readTomlFile,
} from "../../config/index.ts";
import {
  namedProfile,
  type PermissionProfile,
  PolicyError,
  profileOfPolicy,
  readCamelPolicy,
  readCanonicalProfile,
  readProfileTable,
  readSandboxState,
} from "../../policy/index.ts";
import { type CliWorld, UsageError } from "../command.ts";
import type { AskedPolicy } from "./asked-policy.ts";
import { isProfileFile, POLICY_SOURCES } from "./policy-sources.ts";

export interface PolicySource {
  readonly text: string;
  readonly world: CliWorld;
  readonly config: Config;
}

/** Reads the document that a flag holds or names. */
export async function readPolicySource(
  source: "sandbox-state-json" | "sandbox-policy" | "profile",
  { text, world, config }: PolicySource,
): Promise<AskedPolicy> {
  switch (source) {
    case "sandbox-state-json": {
      const state = readSandboxState(await parseJson(text, `--${source}`));
      return { profile: state.profile, workspaceRoots: [], state };
    }
    case "sandbox-policy":
      return plain(profileOfPolicy(readCamelPolicy(await parseJson(text, `--${source}`))));
    case "profile":
      return isProfileFile(text)
        ? profileFile(path.resolve(world.cwd, text), world)
        : profileNamed(text, { config, world });
  }
}

/** Who named a file that is read as no profile has to hear which files are. */
function profileNamed(name: string, { config, world }: Omit<PolicySource, "text">): AskedPolicy {
  try {
    return chooseProfile(config, name, world.home);
  } catch (cause) {
    if (!(cause instanceof PolicyError) || !UNKNOWN.test(cause.message)) throw cause;
    throw new UsageError(`${cause.message}, or a .toml or .json file`, { cause });
  }
}

const UNKNOWN = /^Cannot use profile ".*": there is no such profile, expected [^;]*$/s;

async function profileFile(file: string, world: CliWorld): Promise<AskedPolicy> {
  if (file.endsWith(".json")) {
    const value = await parseJson(readText(file), `"${file}"`);
    return plain(readCanonicalProfile(value, file));
  }
  const value = await readTomlFile(file);
  if (value === undefined) throw noProfile(file);
  refuseSettings(value, file);
  const tables = new Map([[file, readProfileTable(value, file)]]);
  return namedProfile(file, { tables, home: world.home });
}

/** What examples show are files of settings, where a profile has a name and a table. */
function refuseSettings(value: Readonly<Record<string, unknown>>, file: string): void {
  if (!("permissions" in value || "default_permissions" in value)) return;
  throw new UsageError(
    `Cannot use "${file}" as a profile: it is a file of settings, expected the keys of one [permissions.NAME] at its top. Name one of writ.toml or config.toml instead: --profile NAME`,
  );
}

/** The policy that the configuration files choose. Throws where none does. */
export function configuredDefault(world: CliWorld, config: Config): AskedPolicy {
  const chosen = defaultProfile(config, world.home);
  if (chosen !== undefined) return chosen;
  const flags = POLICY_SOURCES.map((name) => `--${name}`).join(", ");
  const only =
    config.settings.sandboxMode === undefined ? "" : "; sandbox_mode there is for threads";
  throw new UsageError(
    `Cannot choose a policy: none was given, expected one of ${flags}, or default_permissions in "${config.user.file}"${only}`,
  );
}

function plain(profile: PermissionProfile): AskedPolicy {
  return { profile, workspaceRoots: [] };
}

/** Loaded only when there is JSON to read: transports come with it. */
async function parseJson(text: string, what: string): Promise<unknown> {
  const { jsonOf } = await import("./json-of.ts");
  return jsonOf(text, what);
}

function readText(file: string): string {
  const text = readBoundedFile(file);
  if (text !== undefined) return text;
  throw noProfile(file);
}

function noProfile(file: string): UsageError {
  return new UsageError(`Cannot read "${file}": there is no such file, expected a profile`);
}
