/**
 * Picks the profile a name stands for, and says what it must not exceed.
 *
 * Whether a project's profile widens can only be told once both are bound to
 * paths, so the answer carries the profile that bounds it.
 */
import { type NamedProfile, namedProfile } from "../policy/index.ts";
import { ConfigError } from "./config-error.ts";
import type { Config } from "./load-config.ts";

export interface ChosenProfile extends NamedProfile {
  /** The file that defined it; nothing for a built-in one. */
  readonly file?: string;
  /** What it may not exceed: set when an untrusted file defined or selected it. */
  readonly within?: NamedProfile;
}

/** What a project is measured against when the user has not chosen a default. */
const USUAL = ":workspace";

/** Finds a profile by name in the user's file, the project's file and the built-in ones. */
export function chooseProfile(config: Config, id: string, home: string): ChosenProfile {
  const own = { tables: config.user.profiles, home };
  const { project } = config;
  if (project?.profiles.has(id) !== true) {
    const file = config.user.profiles.has(id) ? { file: config.user.file } : {};
    return { ...namedProfile(id, own), ...file };
  }
  const tables = new Map([...config.user.profiles, ...project.profiles]);
  return {
    ...namedProfile(id, { tables, home }),
    file: project.file,
    within: namedProfile(userDefault(config), own),
  };
}

/** The profile that holds when a caller names none, or nothing when no file chooses one. */
export function defaultProfile(config: Config, home: string): ChosenProfile | undefined {
  const { project } = config;
  if (project?.defaultPermissions !== undefined) {
    const within = namedProfile(userDefault(config), { tables: config.user.profiles, home });
    const chosen = chooseProfile(config, project.defaultPermissions, home);
    return { ...chosen, file: project.file, within };
  }
  const id = config.user.defaultPermissions ?? config.ceiling?.defaultProfile;
  return id === undefined ? undefined : chooseProfile(config, id, home);
}

function userDefault(config: Config): string {
  const id = config.user.defaultPermissions ?? config.ceiling?.defaultProfile ?? USUAL;
  if (config.project?.profiles.has(id) !== true) return id;
  const what = `"${config.user.file}" selects it, and a project must not define the user's default`;
  throw new ConfigError("widens", `Cannot use profile "${id}": ${what}`);
}
