/**
 * Finds and layers the files a user, a project and an operator have written.
 *
 * The user's file (`$WRIT_HOME/config.toml`) may say anything. A project's
 * (`writ.toml`) comes with the code an agent works on, so it is untrusted: it
 * may define profiles, and using one requires that it only narrows. The
 * operator's requirements bound both. What reads them is loaded only where
 * there is something to read.
 */
import path from "node:path";
import type { Ceiling, ProfileTable } from "../policy/index.ts";
import { ConfigError } from "./config-error.ts";
import { type EnvironmentTable, readEnvironment } from "./read-environment.ts";
import { type McpServerTable, readMcpServers } from "./read-mcp-servers.ts";
import { readTomlFile, type TomlTable } from "./read-toml-file.ts";

export interface ConfigPlaces {
  /** `$WRIT_HOME`. */
  readonly writHome: string;
  /** Where the search for `writ.toml` starts; folders above are looked at too. */
  readonly folder: string;
  /** The operator's requirements file. */
  readonly requirements: string;
  readonly hostname: string;
}

export interface ConfigLayer {
  readonly file: string;
  readonly defaultPermissions?: string;
  readonly profiles: ReadonlyMap<string, ProfileTable>;
}

export interface Config {
  readonly user: ConfigLayer;
  /** Which variables a command gets: the user's alone to say. */
  readonly environment: EnvironmentTable;
  /** Which servers there are: the user's alone to say, too. */
  readonly mcpServers: ReadonlyMap<string, McpServerTable>;
  readonly project: ConfigLayer | undefined;
  readonly ceiling: Ceiling | undefined;
}

/** Loads every file there is. Throws on one that is broken, and on a name that two files define. */
export async function loadConfig(places: ConfigPlaces): Promise<Config> {
  const userFile = path.join(places.writHome, "config.toml");
  const { environment, mcp_servers: servers, ...table } = (await readTomlFile(userFile)) ?? {};
  const user = await layerOf(userFile, table);
  const project = await findProject(places.folder);
  for (const name of project?.profiles.keys() ?? []) {
    if (!user.profiles.has(name)) continue;
    const what = `"${user.file}" defines it too, expected a name of its own`;
    throw new ConfigError(
      "malformed",
      `Cannot use profile "${name}" of "${project?.file}": ${what}`,
    );
  }
  return {
    user,
    environment: readEnvironment(environment, `${userFile}.environment`),
    mcpServers: readMcpServers(servers, `${userFile}.mcp_servers`),
    project,
    ceiling: await findCeiling(places, user),
  };
}

async function findProject(folder: string): Promise<ConfigLayer | undefined> {
  const file = path.join(folder, "writ.toml");
  const table = await readTomlFile(file);
  // One that says nothing may be the placeholder of a sandbox that runs: it must not stand in for the one above.
  if (table !== undefined && Object.keys(table).length > 0) return layerOf(file, table);
  const above = path.dirname(folder);
  return above === folder ? undefined : findProject(above);
}

async function findCeiling(places: ConfigPlaces, user: ConfigLayer): Promise<Ceiling | undefined> {
  const { requirements, hostname } = places;
  const table = await readTomlFile(requirements);
  if (table === undefined) return undefined;
  const { BUILT_IN_PROFILES, readCeiling } = await import("../policy/index.ts");
  return readCeiling(table, {
    source: requirements,
    hostname,
    folder: path.dirname(requirements),
    profiles: [...BUILT_IN_PROFILES, ...user.profiles.keys()],
  });
}

const KEYS = ["default_permissions", "permissions", "environment", "mcp_servers"];

async function layerOf(file: string, table: TomlTable): Promise<ConfigLayer> {
  if (table.environment !== undefined) {
    const what = 'a project must not choose variables, expected "environment" in the user\'s file';
    throw new ConfigError("widens", `Cannot read "${file}": ${what}`);
  }
  if (table.mcp_servers !== undefined) {
    const what = 'a project must not start servers, expected "mcp_servers" in the user\'s file';
    throw new ConfigError("widens", `Cannot read "${file}": ${what}`);
  }
  const stranger = Object.keys(table).find((key) => !KEYS.includes(key));
  if (stranger !== undefined) {
    const what = `unknown key "${stranger}", expected one of ${KEYS.join(", ")}`;
    throw new ConfigError("malformed", `Cannot read "${file}": ${what}`);
  }
  const chosen = table.default_permissions;
  if (chosen !== undefined && (typeof chosen !== "string" || chosen === "")) {
    throw new ConfigError(
      "malformed",
      `Cannot read "${file}.default_permissions": expected a name`,
    );
  }
  return {
    file,
    ...(chosen !== undefined && { defaultPermissions: chosen }),
    profiles: await profilesOf(file, table.permissions ?? {}),
  };
}

async function profilesOf(file: string, value: unknown): Promise<Map<string, ProfileTable>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError("malformed", `Cannot read "${file}.permissions": expected a table`);
  }
  const tables = Object.entries(value);
  if (tables.length === 0) return new Map();
  const { readProfileTable } = await import("../policy/index.ts");
  return new Map(
    tables.map(([name, table]) => {
      if (name.startsWith(":")) {
        const what = 'a name that starts with ":" is built in';
        throw new ConfigError("malformed", `Cannot define "${name}" in "${file}": ${what}`);
      }
      return [name, readProfileTable(table, `${file}.permissions.${name}`)];
    }),
  );
}
