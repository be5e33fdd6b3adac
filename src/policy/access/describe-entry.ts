import { nativeOfUri } from "../paths/native-of-uri.ts";
import type { Entry } from "../profile/entry.ts";

const SYMBOLS = {
  root: ":root",
  minimal: ":minimal",
  tmpdir: ":tmpdir",
  slashTmp: ":slash_tmp",
  workspaceRoots: ":workspace_roots",
} as const;

/** An entry in the words of the configuration file, for example `":workspace_roots/.git" = "read"`. */
export function describeEntry(entry: Entry): string {
  return `${JSON.stringify(describeTarget(entry.target))} = "${entry.access}"`;
}

function describeTarget(target: Entry["target"]): string {
  switch (target.type) {
    case "path":
      return nativeOfUri(target.path) ?? target.path;
    case "unknown":
      return withSubpath(target.token, target.subpath);
    case "glob":
      return target.base === "workspaceRoots"
        ? `${SYMBOLS.workspaceRoots}/${target.pattern}`
        : target.pattern;
    case "workspaceRoots":
      return withSubpath(SYMBOLS.workspaceRoots, target.subpath);
    default:
      return SYMBOLS[target.type];
  }
}

function withSubpath(symbol: string, subpath: string | undefined): string {
  return subpath === undefined ? symbol : `${symbol}/${subpath}`;
}
