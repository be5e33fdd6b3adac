import path from "node:path";
import {
  type Config,
  ConfigError,
  loadConfig,
  REQUIREMENTS,
  type VariablesTable,
} from "../../config/index.ts";
import {
  type AbsolutePath,
  type BoundProfile,
  type Ceiling,
  type PermissionProfile,
  PolicyError,
  parseAbsolutePath,
} from "../../policy/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { folderProblem } from "../help/folder-problem.ts";
import { writHome } from "../writ-home.ts";
import type { AskedPolicy } from "./asked-policy.ts";
import { bindAskedPolicy } from "./bind-asked-policy.ts";
import { readPolicyFlags } from "./policy-flags.ts";
import { isProfileFile } from "./policy-sources.ts";

export interface BoundFlags {
  /** The policy as it was asked for, symbolic. */
  readonly profile: PermissionProfile;
  readonly bound: BoundProfile;
  /** The folder of `-C`, or the current one. */
  readonly folder: AbsolutePath;
  /** Which variables a command gets. */
  readonly environment: VariablesTable;
  /** The files that said so, or would if they were there. */
  readonly sources: readonly string[];
  readonly ceiling: Ceiling | undefined;
}

/** The policy that the flags and the configuration files ask for, bound to this host. */
export async function bindFlags(flags: FlagValues, world: CliWorld): Promise<BoundFlags> {
  const folder = folderOf(flags, world);
  const config = await settingsFor(folder, world);
  const asked = withRoots(await readPolicyFlags(flags, world, config), flags, world);
  const networked = flags.network ? withNetwork(asked) : asked;
  const wanted = withTimeout(networked, flags);
  const externalSandbox = flags["external-sandbox"] ? "trusted" : "absent";
  const bound = bindAskedPolicy(wanted, { world, config, folder, externalSandbox });
  const project = config.project === undefined ? [] : [config.project.file];
  const sources = [REQUIREMENTS, config.user.file, ...project, ...profileFileOf(flags, world)];
  const { environment, ceiling } = config;
  return { profile: wanted.profile, bound, folder, environment, sources, ceiling };
}

/** What is wrong in a file of settings is no fault of the command line, whoever finds it. */
async function settingsFor(folder: AbsolutePath, world: CliWorld): Promise<Config> {
  const { hostname } = world;
  const places = { writHome: ownHome(world), folder, requirements: REQUIREMENTS, hostname };
  try {
    return await loadConfig(places);
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new ConfigError("malformed", cause.message, { cause });
  }
}

function profileFileOf({ profile }: FlagValues, { cwd }: CliWorld): string[] {
  return profile !== undefined && isProfileFile(String(profile))
    ? [path.resolve(cwd, String(profile))]
    : [];
}

/** The folder for what is writ's own. Throws where it would not be out of a command's reach. */
export function ownHome({ env, home }: CliWorld): string {
  const found = writHome(env, home);
  if (found !== undefined) return found;
  const [name, value] = env.WRIT_HOME ? ["WRIT_HOME", env.WRIT_HOME] : ["HOME", home];
  const what = "it is not an absolute path, expected one";
  throw new ConfigError("malformed", `Cannot use ${name} "${value}": ${what}`);
}

/** A folder of another machine is its executor's to look for. */
function folderOf({ cd, on }: FlagValues, { cwd }: CliWorld): AbsolutePath {
  const folder = readableFolder(path.resolve(cwd, String(cd ?? ".")));
  if (cd !== undefined && on === undefined) refuseNoFolder("-C", folder);
  return folder;
}

function refuseNoFolder(option: string, folder: string): void {
  const what = folderProblem(folder);
  if (what !== undefined) {
    throw new UsageError(`Cannot use ${option} "${folder}": ${what}, expected a folder`);
  }
}

/** Node puts a sign in the place of bytes that are no UTF-8: another folder would be meant, and nobody told. */
export function readableFolder(folder: string): AbsolutePath {
  if (!folder.includes("\uFFFD")) return parseAbsolutePath(folder);
  throw new UsageError(
    `Cannot use folder "${folder}": its name is not UTF-8, expected one that is`,
  );
}

/** Folders that are worked on besides the one of `-C`. */
function withRoots(asked: AskedPolicy, flags: FlagValues, { cwd }: CliWorld): AskedPolicy {
  const asOne = (folder: unknown) => addedFolder(String(folder), cwd);
  const added = [flags["add-dir"] ?? []].flat().map(asOne);
  return { ...asked, workspaceRoots: [...asked.workspaceRoots, ...added] };
}

function addedFolder(text: string, cwd: string): string {
  const folder = path.resolve(cwd, text);
  refuseNoFolder("--add-dir", folder);
  return folder;
}

/** A limit like any other, so that the stricter of two holds. */
function withTimeout(asked: AskedPolicy, { timeout }: FlagValues): AskedPolicy {
  if (timeout === undefined) return asked;
  const seconds = /^\d+(\.\d+)?$/.test(String(timeout)) ? Number(timeout) : 0;
  const wallTimeMs = Math.ceil(seconds * 1000);
  if (wallTimeMs < 1 || wallTimeMs > MOST_MS) {
    throw new UsageError(`Cannot use --timeout "${timeout}": expected seconds, for example 30`);
  }
  const { profile } = asked;
  const limits = {
    ...profile.limits,
    wallTimeMs: Math.min(wallTimeMs, profile.limits?.wallTimeMs ?? wallTimeMs),
  };
  return { ...asked, profile: { ...profile, limits } };
}

/** What a timer can count to. */
const MOST_MS = 2 ** 31 - 1;

/** Asked for before the bounds are applied, so that they apply. Rules are more than "on" can say. */
function withNetwork(asked: AskedPolicy): AskedPolicy {
  const { profile } = asked;
  if (profile.type === "disabled") return asked;
  if (profile.network.kind === "ruled") {
    throw new UsageError("Cannot use --network: the policy has network rules, expected none");
  }
  return { ...asked, profile: { ...profile, network: { kind: "enabled" } } };
}
