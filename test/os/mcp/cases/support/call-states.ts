/** The states of the cases, as clients send them. */
import { pathToFileURL } from "node:url";

const STATE_KEY = "codex/sandbox-state-meta";

/** `_meta` with a state that is none. */
export const MALFORMED = { [STATE_KEY]: "invalid" };

/** `_meta` with a state. */
export function withState(state: object): Record<string, unknown> {
  return { [STATE_KEY]: state };
}

/** A state with a profile. */
export function stateOf(permissionProfile: unknown, cwd: string, more: object = {}): object {
  return {
    permissionProfile,
    codexLinuxSandboxExe: null,
    sandboxCwd: pathToFileURL(cwd).href,
    useLegacyLandlock: false,
    ...more,
  };
}

/** A profile of entries, each a path, `:name` of a special, or a glob that begins with `glob:`. */
export function managed(
  entries: readonly (readonly [target: string, access: string])[],
  network: "restricted" | "enabled" = "restricted",
): object {
  const listed = entries.map(([target, access]) => ({ path: targetOf(target), access }));
  return { type: "managed", file_system: { type: "restricted", entries: listed }, network };
}

function targetOf(target: string): object {
  if (target.startsWith(":")) return { type: "special", value: { kind: target.slice(1) } };
  if (target.startsWith("glob:")) return { type: "glob_pattern", pattern: target.slice(5) };
  return { type: "path", path: target };
}
