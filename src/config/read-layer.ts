/** What a file says about policies: which profiles there are, and which one holds by default. */

import type { ProfileTable } from "../policy/index.ts";
import { memberName } from "../policy/index.ts";
import { ConfigError } from "./config-error.ts";
import type { TomlTable } from "./read-toml-file.ts";
import { malformed, tableOf } from "./table-of.ts";

export interface ConfigLayer {
  readonly file: string;
  readonly defaultPermissions?: string;
  readonly profiles: ReadonlyMap<string, ProfileTable>;
  /** The profiles that a request has a word on, so that no file alone answers for them. */
  readonly inline?: ReadonlySet<string>;
}

/** The keys that {@link readLayer} reads. */
export const LAYER_KEYS = ["default_permissions", "permissions"];

/** Reads the policies of a table; `where` is how messages call it. */
export async function readLayer(
  file: string,
  table: TomlTable,
  where = file,
): Promise<ConfigLayer> {
  const chosen = table.default_permissions;
  if (chosen !== undefined && (typeof chosen !== "string" || chosen === "")) {
    throw malformed(memberName(where, "default_permissions"), "expected a name");
  }
  const { permissions = {} } = table;
  return {
    file,
    ...(chosen !== undefined && { defaultPermissions: chosen }),
    profiles: await profilesOf(permissions, where),
  };
}

/** Reads a project's file, which has policies and nothing else: it comes with the code an agent works on. */
export async function readProject(file: string, table: TomlTable): Promise<ConfigLayer> {
  if (table.environment !== undefined) {
    const what = 'a project must not choose variables, expected "environment" in the user\'s file';
    throw new ConfigError("widens", `Cannot read "${file}": ${what}`);
  }
  if (table.mcp_servers !== undefined) {
    const what = 'a project must not start servers, expected "mcp_servers" in the user\'s file';
    throw new ConfigError("widens", `Cannot read "${file}": ${what}`);
  }
  if (table.dependencies !== undefined) {
    const what = 'a project must not install anything, expected "dependencies" in the user\'s file';
    throw new ConfigError("widens", `Cannot read "${file}": ${what}`);
  }
  if (table.session_provider !== undefined) {
    const what =
      'a project must not choose where its commands run, expected "session_provider" in the user\'s file';
    throw new ConfigError("widens", `Cannot read "${file}": ${what}`);
  }
  const stranger = Object.keys(table).find((key) => !LAYER_KEYS.includes(key));
  if (stranger !== undefined) {
    throw malformed(file, `unknown key "${stranger}", expected one of ${LAYER_KEYS.join(", ")}`);
  }
  return readLayer(file, table);
}

async function profilesOf(value: unknown, where: string): Promise<Map<string, ProfileTable>> {
  const at = memberName(where, "permissions");
  const tables = Object.entries(tableOf(value, at));
  if (tables.length === 0) return new Map();
  const { readProfileTable } = await import("../policy/index.ts");
  return new Map(
    tables.map(([name, table]) => {
      if (name.startsWith(":")) {
        const what = 'a name that starts with ":" is built in';
        throw new ConfigError("malformed", `Cannot define "${name}" in "${where}": ${what}`);
      }
      return [name, readProfileTable(table, `${at}.${name}`)];
    }),
  );
}
