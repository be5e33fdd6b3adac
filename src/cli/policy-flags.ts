/**
 * The flags that say which policy holds, shared by every command that needs one.
 *
 * Exactly one source counts. Two would have to be ranked, and nobody could say
 * afterwards under which rules a command ran.
 */
import path from "node:path";
import {
  type Config,
  chooseProfile,
  defaultProfile,
  readBoundedFile,
  readTomlFile,
} from "../config/index.ts";
import {
  type NamedProfile,
  namedProfile,
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
  readCamelPolicy,
  readCanonicalProfile,
  readProfileTable,
  readSandboxState,
  SANDBOX_MODES,
  type SandboxMode,
  type SandboxState,
} from "../policy/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";

/** The policy that was asked for, before it is bound to this host. */
export interface AskedPolicy {
  readonly profile: PermissionProfile;
  readonly id?: string;
  /** Roots the profile brings, beside the folder itself. */
  readonly workspaceRoots: readonly string[];
  /** What it may not exceed, and the file that made it untrusted. */
  readonly within?: NamedProfile;
  readonly file?: string;
  /** Set when the policy came with a client's state, which brings its own folder. */
  readonly state?: SandboxState;
}

const SOURCES = ["sandbox-state-json", "sandbox", "sandbox-policy", "profile"] as const;

/** Reads the one policy source that was given, else the configured default. */
export async function readPolicyFlags(
  flags: FlagValues,
  world: CliWorld,
  config: Config,
): Promise<AskedPolicy> {
  const given = SOURCES.filter((name) => flags[name] !== undefined);
  const [source] = given;
  if (given.length > 1) {
    const names = given.map((name) => `--${name}`).join(" and ");
    throw new UsageError(`Cannot choose a policy: found ${names}, expected one of them`);
  }
  if (source === undefined) return configuredDefault(world, config);
  return readSource(source, String(flags[source]), world, config);
}

async function readSource(
  source: (typeof SOURCES)[number],
  text: string,
  ...[world, config]: [CliWorld, Config]
): Promise<AskedPolicy> {
  switch (source) {
    case "sandbox-state-json": {
      const state = readSandboxState(await parseJson(text));
      return { profile: state.profile, workspaceRoots: [], state };
    }
    case "sandbox":
      return plain(profileOfPolicy(policyForMode(parseMode(text))));
    case "sandbox-policy":
      return plain(profileOfPolicy(readCamelPolicy(await parseJson(text))));
    case "profile":
      return /\.(toml|json)$|\//.test(text)
        ? profileFile(path.resolve(world.cwd, text), world)
        : chooseProfile(config, text, world.home);
  }
}

async function profileFile(file: string, world: CliWorld): Promise<AskedPolicy> {
  if (file.endsWith(".json")) {
    return plain(readCanonicalProfile(await parseJson(readText(file)), file));
  }
  const value = readTomlFile(file);
  if (value === undefined) throw new UsageError(`Cannot read "${file}": there is no such file`);
  const tables = new Map([[file, readProfileTable(value, file)]]);
  return namedProfile(file, { tables, home: world.home });
}

function configuredDefault(world: CliWorld, config: Config): AskedPolicy {
  const chosen = defaultProfile(config, world.home);
  if (chosen !== undefined) return chosen;
  const flags = SOURCES.map((name) => `--${name}`).join(", ");
  throw new UsageError(`Cannot choose a policy: none was given, expected one of ${flags}`);
}

function plain(profile: PermissionProfile): AskedPolicy {
  return { profile, workspaceRoots: [] };
}

function parseMode(text: string): SandboxMode {
  const mode = SANDBOX_MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  const expected = SANDBOX_MODES.join(", ");
  throw new UsageError(`Cannot use mode "${text}": expected ${expected}`);
}

/** Loaded only when there is JSON to read: transports come with it. */
async function parseJson(text: string): Promise<unknown> {
  const { JSON_LIMITS, readJson } = await import("../rpc/index.ts");
  return readJson(text, JSON_LIMITS);
}

function readText(file: string): string {
  const text = readBoundedFile(file);
  if (text !== undefined) return text;
  throw new UsageError(`Cannot read "${file}": there is no such file`);
}
