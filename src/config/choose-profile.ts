/**
 * Picks the profile a name stands for, and says what it must not exceed.
 *
 * Whether a project's profile widens can only be told once both are bound to
 * paths, so the answer carries the profile that bounds it.
 */
import { type NamedProfile, namedProfile, profileOfPolicy } from "../policy/index.ts";
import { ConfigError } from "./config-error.ts";
import type { Config } from "./load-config.ts";
import { modePolicy } from "./mode-policy.ts";

export interface ChosenProfile extends NamedProfile {
  /** The file that defined it; nothing for a built-in one and one that came with a request. */
  readonly file?: string;
  /** What it may not exceed: set when an untrusted file defined or selected it. */
  readonly within?: NamedProfile;
}

/** What a project is measured against when the user has not chosen a default. */
const USUAL = ":workspace";

/** Finds a profile by name in the user's file, the project's file and the built-in ones. */
export function chooseProfile(config: Config, id: string, home: string): ChosenProfile {
  const { project, user } = config;
  if (project?.profiles.has(id) !== true) {
    const filed = user.profiles.has(id) && user.inline?.has(id) !== true;
    return { ...namedProfile(id, ownTables(config, home)), ...(filed && { file: user.file }) };
  }
  const tables = new Map([...user.profiles, ...project.profiles]);
  return {
    ...namedProfile(id, { tables, home }),
    file: project.file,
    within: userBound(config, home, USUAL),
  };
}

/** The profile that holds when a caller names none, or nothing when no file chooses one. */
export function defaultProfile(config: Config, home: string): ChosenProfile | undefined {
  const ofProject = projectDefault(config, home, USUAL);
  if (ofProject !== undefined) return ofProject;
  const { user, settings, ceiling } = config;
  // A mode is no profile; the operator's default must not stand in for what the user chose.
  const spare = settings.sandboxMode === undefined ? ceiling?.defaultProfile : undefined;
  const id = user.defaultPermissions ?? spare;
  return id === undefined ? undefined : chooseProfile(config, id, home);
}

/** The profile a project selects, bounded by the user's default, else by the profile `usual`. */
export function projectDefault(
  config: Config,
  home: string,
  usual: string,
): ChosenProfile | undefined {
  const { project } = config;
  if (project?.defaultPermissions === undefined) return undefined;
  const within = userBound(config, home, usual);
  const chosen = chooseProfile(config, project.defaultPermissions, home);
  return { ...chosen, file: project.file, within };
}

function userBound(config: Config, home: string, usual: string): NamedProfile {
  const { user, settings, ceiling, project } = config;
  const mode = settings.sandboxMode;
  if (user.defaultPermissions === undefined && mode !== undefined) {
    const profile = profileOfPolicy(modePolicy(mode, settings));
    return { id: mode, profile, workspaceRoots: [] };
  }
  const id = user.defaultPermissions ?? ceiling?.defaultProfile ?? usual;
  if (project?.profiles.has(id) !== true) return namedProfile(id, ownTables(config, home));
  const what = `"${user.file}" selects it, and a project must not define the user's default`;
  throw new ConfigError("widens", `Cannot use profile "${id}": ${what}`);
}

function ownTables({ user }: Config, home: string) {
  return { tables: user.profiles, home };
}
