/** What changes in Claude's two files: the servers in one, the permission for their tools in the other. */
import { isDeepStrictEqual } from "node:util";
import { listAdditions, listRemovals, refuseOther } from "./list-additions.ts";
import { isInstalled, refuseForeign, type ServerEntry } from "./server-entry.ts";
import type { SettingsEdit } from "./settings-edit.ts";
import { valueAt } from "./value-at.ts";

const ALLOWED = ["permissions", "allow"];

/** The edits that put the servers into `.claude.json`. */
export function claudeServers(
  settings: unknown,
  servers: readonly ServerEntry[],
  file: string,
): SettingsEdit[] {
  refuseOther(settings, ["mcpServers"], file);
  return servers.flatMap(({ name, command, args }) => {
    const path = ["mcpServers", name];
    refuseForeign(valueAt(settings, path), name, file);
    return Object.entries({ command, args })
      .filter(([key, value]) => !isDeepStrictEqual(valueAt(settings, [...path, key]), value))
      .map(([key, value]): SettingsEdit => ({ kind: "put", path: [...path, key], value }));
  });
}

/** The edits that take them out; none for one that is not ours. */
export function claudeServersRemoved(
  settings: unknown,
  names: readonly string[],
  file: string,
): SettingsEdit[] {
  return names.flatMap((name) => {
    const path = ["mcpServers", name];
    const isOurs = isInstalled(valueAt(settings, path), ["command", "args"], { name, file });
    return isOurs ? [{ kind: "drop", path }] : [];
  });
}

/** The names that no server of somebody else has. */
export function namesOfOurs(settings: unknown, names: readonly string[], file: string): string[] {
  return names.filter((name) => {
    const entry = valueAt(settings, ["mcpServers", name]);
    return entry === undefined || isInstalled(entry, ["command", "args"], { name, file });
  });
}

/** The edits that let their tools be called without a question, in `settings.json`. */
export function claudePermissions(
  settings: unknown,
  names: readonly string[],
  file: string,
): SettingsEdit[] {
  refuseOther(settings, ["permissions"], file);
  return listAdditions(settings, ALLOWED, names.map(ruleOf), file);
}

/** The edits that take the permission away. */
export function claudePermissionsRemoved(
  settings: unknown,
  names: readonly string[],
): SettingsEdit[] {
  return listRemovals(settings, ALLOWED, names.map(ruleOf));
}

function ruleOf(name: string): string {
  return `mcp__${name}__*`;
}
