/**
 * Everything the user's file may say, read.
 *
 * It may be linked to a file of Codex, so keys that nothing here knows are noted
 * and not refused, except where one could take something away.
 */

import path from "node:path";
import { memberName } from "../policy/index.ts";
import { type ConfigLayer, LAYER_KEYS, readLayer } from "./read-layer.ts";
import { type McpServerTable, readMcpServers } from "./read-mcp-servers.ts";
import type { TomlTable } from "./read-toml-file.ts";
import { readVariables, type VariablesTable } from "./read-variables.ts";
import { type DependencyTable, readDependencies } from "./settings/read-dependencies.ts";
import { readSettings, SETTING_KEYS, type UserSettings } from "./settings/read-settings.ts";
import { SKILL_KEYS } from "./settings/read-skill-settings.ts";
import { refuseSessionProvider } from "./settings/refuse-session-provider.ts";
import { malformed } from "./table-of.ts";

export interface UserTable {
  /** As it was written, for whoever lays something over it. */
  readonly table: TomlTable;
  readonly layer: ConfigLayer;
  readonly settings: UserSettings;
  readonly environment: VariablesTable;
  readonly mcpServers: ReadonlyMap<string, McpServerTable>;
  readonly dependencies: DependencyTable;
  readonly unknownKeys: readonly string[];
}

/** The keys at the top that have a reader. */
const USER_KEYS: readonly string[] = [
  ...LAYER_KEYS,
  ...SETTING_KEYS,
  "dependencies",
  "environment",
  "mcp_servers",
  "profile",
  "session_provider",
];

/** Those of them that a request may say: whom the user trusts, and with what, is the file's alone. */
export const REQUEST_KEYS = USER_KEYS.filter((key) => !SKILL_KEYS.includes(key));

/** Where it lies. */
export function userFileOf(writHome: string): string {
  return path.join(writHome, "config.toml");
}

/** Reads a whole table; `where` is how messages call it. */
export async function readUserTable(
  file: string,
  table: TomlTable,
  where = file,
): Promise<UserTable> {
  refuseSelection(table, where);
  refuseSessionProvider(table.session_provider, memberName(where, "session_provider"));
  const unknownKeys = Object.keys(table).filter((key) => !USER_KEYS.includes(key));
  const note = (key: string) => {
    unknownKeys.push(key);
  };
  return {
    table,
    layer: await readLayer(file, table, where),
    settings: readSettings(table, where, note),
    environment: readVariables(table.environment, memberName(where, "environment")),
    mcpServers: readMcpServers(table.mcp_servers, memberName(where, "mcp_servers"), note),
    dependencies: readDependencies(table.dependencies, memberName(where, "dependencies")),
    unknownKeys,
  };
}

/** It puts other settings in the place of these; without them a thread could be allowed more than was meant. */
function refuseSelection(table: TomlTable, where: string): void {
  if (table.profile === undefined) return;
  const what = "it selects settings that are not read here, expected those settings themselves";
  throw malformed(memberName(where, "profile"), what);
}
