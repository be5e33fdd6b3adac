/**
 * Finds and layers the files a user, a project and an operator have written.
 *
 * The user's file (`$WRIT_HOME/config.toml`) may say anything. A project's
 * (`writ.toml`) comes with the code an agent works on, so it is untrusted: it
 * may define profiles, and using one requires that it only narrows. The
 * operator's requirements bound both. What a request brings counts as the user's
 * word, and the files are read without it first, so that each is blamed for its own.
 */
import path from "node:path";
import type { Ceiling } from "../policy/index.ts";
import { ConfigError } from "./config-error.ts";
import { type ConfigFiles, FRESH, readConfigFiles } from "./read-config-files.ts";
import type { ConfigLayer } from "./read-layer.ts";
import type { McpServerTable } from "./read-mcp-servers.ts";
import { REQUEST_KEYS, readUserTable, type UserTable } from "./read-user-table.ts";
import type { VariablesTable } from "./read-variables.ts";
import { mergeOverrides, OVERRIDES, type Overrides } from "./settings/merge-overrides.ts";
import type { DependencyTable } from "./settings/read-dependencies.ts";
import type { UserSettings } from "./settings/read-settings.ts";
import type { UnknownKey } from "./settings/unknown-key.ts";

export interface ConfigPlaces {
  /** `$WRIT_HOME`. */
  readonly writHome: string;
  /** Where the search for `writ.toml` starts; folders above are looked at too. */
  readonly folder: string;
  /** The operator's requirements file. */
  readonly requirements: string;
  readonly hostname: string;
  /** What a request says over the user's file; keys may be dotted. */
  readonly overrides?: Overrides | undefined;
}

export interface Config {
  readonly user: ConfigLayer;
  /** What the user's file says beside policies. */
  readonly settings: UserSettings;
  /** Which variables a command gets: the user's alone to say. */
  readonly environment: VariablesTable;
  /** Which servers there are: the user's alone to say, too. */
  readonly mcpServers: ReadonlyMap<string, McpServerTable>;
  /** What their sandboxes have installed: the user's alone as well, since it runs code of strangers. */
  readonly dependencies: DependencyTable;
  readonly project: ConfigLayer | undefined;
  readonly ceiling: Ceiling | undefined;
  /** Whether a request chose what holds by default; a project's choice then does not count. */
  readonly defaultFrom: "files" | "overrides";
  /** The keys of the user's file on which a request has a word of its own. */
  readonly requested: ReadonlySet<string>;
  /** What nothing heeds. */
  readonly unknownKeys: readonly UnknownKey[];
}

/** Loads every file there is. Throws on one that is broken, and on a name that two files define. */
export async function loadConfig(places: ConfigPlaces): Promise<Config> {
  return layerConfig(await readConfigFiles(places, FRESH), places);
}

/** Throws on what the files, together with the request, do not allow. */
export async function layerConfig(files: ConfigFiles, places: ConfigPlaces): Promise<Config> {
  const { layer: user, unknownKeys, ...own } = await withOverrides(files.user, places.overrides);
  const { project } = files;
  refuseSameName(user, project);
  return {
    user,
    settings: own.settings,
    environment: own.environment,
    mcpServers: own.mcpServers,
    dependencies: own.dependencies,
    project,
    ceiling: await ceilingOf(files, user, places),
    defaultFrom: own.defaultFrom,
    requested: own.requested,
    unknownKeys,
  };
}

interface UserWord extends Omit<UserTable, "unknownKeys"> {
  readonly defaultFrom: Config["defaultFrom"];
  readonly requested: Config["requested"];
  readonly unknownKeys: readonly UnknownKey[];
}

async function withOverrides(ofFile: UserTable, overrides: Overrides = {}): Promise<UserWord> {
  const { file } = ofFile.layer;
  const filed = ofFile.unknownKeys.map((key) => ({ file, key }));
  if (Object.keys(overrides).length === 0) {
    return { ...ofFile, defaultFrom: "files", requested: new Set(), unknownKeys: filed };
  }
  const merged = mergeOverrides(ofFile.table, overrides, REQUEST_KEYS);
  const both = await readUserTable(file, merged.table, OVERRIDES);
  const added = both.unknownKeys.filter((key) => !ofFile.unknownKeys.includes(key));
  const unknown = [...added, ...merged.unknownKeys].map((key) => ({ file: OVERRIDES, key }));
  return {
    ...both,
    layer: { ...both.layer, inline: merged.profiles },
    defaultFrom: merged.choosesDefault ? "overrides" : "files",
    requested: merged.keys,
    unknownKeys: [...filed, ...unknown],
  };
}

function refuseSameName(user: ConfigLayer, project: ConfigLayer | undefined): void {
  const name = [...(project?.profiles.keys() ?? [])].find((one) => user.profiles.has(one));
  if (name === undefined) return;
  const other = user.inline?.has(name) ? OVERRIDES : user.file;
  const what = `"${other}" defines it too, expected a name of its own`;
  throw new ConfigError("malformed", `Cannot use profile "${name}" of "${project?.file}": ${what}`);
}

async function ceilingOf(
  { requirements: table }: ConfigFiles,
  user: ConfigLayer,
  { requirements, hostname }: ConfigPlaces,
): Promise<Ceiling | undefined> {
  if (table === undefined) return undefined;
  const { BUILT_IN_PROFILES, readCeiling } = await import("../policy/index.ts");
  return readCeiling(table, {
    source: requirements,
    hostname,
    folder: path.dirname(requirements),
    profiles: [...BUILT_IN_PROFILES, ...user.profiles.keys()],
  });
}
