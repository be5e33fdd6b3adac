/** What `sandbox_mode = "workspace-write"` opens, as `[sandbox_workspace_write]` says it. */
import { type AbsolutePath, PolicyError, parseAbsolutePath } from "../../policy/index.ts";
import { malformed, oneOf, tableOf } from "../table-of.ts";

export interface WorkspaceWrite {
  readonly writableRoots: readonly string[];
  readonly networkAccess: boolean;
  readonly excludeTmpdirEnvVar: boolean;
  readonly excludeSlashTmp: boolean;
}

const KEYS = ["writable_roots", "network_access", "exclude_tmpdir_env_var", "exclude_slash_tmp"];

/** Reads the table. A key that is not known could take something away, so it is refused. */
export function readWorkspaceWrite(value: unknown, where: string): WorkspaceWrite {
  const table = tableOf(value === undefined ? {} : value, where);
  const stranger = Object.keys(table).find((key) => !KEYS.includes(key));
  if (stranger !== undefined) {
    throw malformed(where, `unknown key "${stranger}", expected one of ${KEYS.join(", ")}`);
  }
  const given = (name: string, usual: unknown) => (name in table ? table[name] : usual);
  const flag = (name: string) => oneOf(given(name, false), [true, false], `${where}.${name}`);
  return {
    writableRoots: rootsOf(given("writable_roots", []), `${where}.writable_roots`),
    networkAccess: flag("network_access"),
    excludeTmpdirEnvVar: flag("exclude_tmpdir_env_var"),
    excludeSlashTmp: flag("exclude_slash_tmp"),
  };
}

function rootsOf(value: unknown, where: string): readonly string[] {
  if (!Array.isArray(value)) throw malformed(where, "expected a list of absolute paths");
  return value.map((root) => rootOf(root, where));
}

function rootOf(root: unknown, where: string): AbsolutePath {
  if (typeof root !== "string") throw malformed(where, "expected a list of absolute paths");
  // Behind a link it leads elsewhere than it seems.
  if (root.split("/").includes("..")) {
    throw malformed(where, `${JSON.stringify(root)} has "..", expected a path without it`);
  }
  try {
    return parseAbsolutePath(root);
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw malformed(where, `${JSON.stringify(root)} is no absolute path, expected one`);
  }
}
