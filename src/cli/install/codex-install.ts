/**
 * What changes in Codex's `config.toml`.
 *
 * Beside the server itself, its tool is named as one that a model calls directly, also in code
 * mode, where others are called by scripts.
 */
import { isDeepStrictEqual } from "node:util";
import { isTable } from "../../config/index.ts";
import { listAdditions, listRemovals, refuseOther } from "./list-additions.ts";
import { isInstalled, refuseForeign, type ServerEntry } from "./server-entry.ts";
import type { SettingsEdit } from "./settings-edit.ts";
import { valueAt } from "./value-at.ts";

/** Not the limit of a call, which has its own: the last guard, for a server that is stuck. */
const TOOL_TIMEOUT_SEC = 1800;

const CODE_MODE = ["features", "code_mode"];
const DIRECT = [...CODE_MODE, "direct_only_tool_namespaces"];

/** The edits that put the servers in; none for one that is there. */
export function codexInstall(
  settings: unknown,
  servers: readonly ServerEntry[],
  file: string,
): SettingsEdit[] {
  for (const path of [["mcp_servers"], ["features"]]) refuseOther(settings, path, file);
  return [
    ...servers.flatMap((server) => serverEdits(settings, server, file)),
    ...codeModeEdits(settings, servers, file),
  ];
}

/** The edits that take them out; none for one that is not there, or not ours. */
export function codexRemove(
  settings: unknown,
  names: readonly string[],
  file: string,
): SettingsEdit[] {
  return names.flatMap((name) => {
    const path = ["mcp_servers", name];
    const entry = valueAt(settings, path);
    const keys = ["command", "args", "tool_timeout_sec", "enabled"];
    const isOurs = isInstalled(entry, keys, { name, file });
    if (entry !== undefined && !isOurs) return [];
    const held = isTable(entry) ? Object.keys(entry) : [];
    return [
      ...held.map((key): SettingsEdit => ({ kind: "drop", path: [...path, key] })),
      ...listRemovals(settings, DIRECT, [namespaceOf(name)]),
    ];
  });
}

function serverEdits(
  settings: unknown,
  { name, command, args }: ServerEntry,
  file: string,
): SettingsEdit[] {
  const path = ["mcp_servers", name];
  refuseForeign(valueAt(settings, path), name, file);
  const wanted = { command, args, tool_timeout_sec: TOOL_TIMEOUT_SEC, enabled: true };
  const enabled = [...path, "enabled_tools"];
  return [
    ...Object.entries(wanted)
      .filter(([key, value]) => !isDeepStrictEqual(valueAt(settings, [...path, key]), value))
      .map(([key, value]): SettingsEdit => ({ kind: "put", path: [...path, key], value })),
    ...(valueAt(settings, enabled) === undefined
      ? []
      : listAdditions(settings, enabled, ["repl"], file)),
    ...listRemovals(settings, enabled, ["repl_reset"]),
    ...listRemovals(settings, [...path, "disabled_tools"], ["repl", "repl_reset"]),
  ];
}

function codeModeEdits(
  settings: unknown,
  servers: readonly ServerEntry[],
  file: string,
): SettingsEdit[] {
  const namespaces = servers.map(({ name }) => namespaceOf(name));
  if (typeof valueAt(settings, CODE_MODE) !== "boolean") {
    refuseOther(settings, CODE_MODE, file);
    return listAdditions(settings, DIRECT, namespaces, file);
  }
  return [
    { kind: "nest", path: CODE_MODE, into: "enabled" },
    ...namespaces.map((item): SettingsEdit => ({ kind: "add", path: DIRECT, item })),
  ];
}

function namespaceOf(name: string): string {
  return `mcp__${name}`;
}
