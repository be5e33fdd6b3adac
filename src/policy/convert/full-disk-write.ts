import { hostPathOfUri } from "../paths/native-of-uri.ts";
import { ACCESS_RANK } from "../profile/access.ts";
import type { Entry } from "../profile/entry.ts";
import type { FileSystem } from "../profile/permission-profile.ts";

/**
 * True when nothing narrows a write grant on the whole disk.
 *
 * A default protection (`skip`) does not narrow: whoever may write everywhere
 * else is as free as one without it, and a ceiling must see that.
 */
export function hasFullDiskWrite(fileSystem: FileSystem): boolean {
  if (fileSystem.type === "unrestricted") return true;
  const writes = new Set(
    fileSystem.entries.flatMap(({ access, target }) =>
      access === "write" ? [targetKey(target)] : [],
    ),
  );
  return writes.has("/") && !fileSystem.entries.some((entry) => narrows(entry, writes));
}

function narrows(entry: Entry, writes: ReadonlySet<string>): boolean {
  if (entry.access === "write") return false;
  if (entry.missing === "skip" && entry.access === "read") return false;
  if (entry.target.type === "minimal" || entry.target.type === "unknown") {
    return entry.access === "deny";
  }
  const overridden =
    ACCESS_RANK[entry.access] < ACCESS_RANK.write && writes.has(targetKey(entry.target));
  return !overridden;
}

/** Equal keys name one place; `root` is `/` and `slash_tmp` is `/tmp`. */
function targetKey(target: Entry["target"]): string {
  switch (target.type) {
    case "path":
      return posixPath(target.path) ?? target.path;
    case "root":
      return "/";
    case "slashTmp":
      return "/tmp";
    case "workspaceRoots":
      return `:workspace_roots/${target.subpath ?? ""}`;
    case "unknown":
      return `${target.token}/${target.subpath ?? ""}`;
    case "glob":
      return `glob:${target.base}:${target.pattern}`;
    default:
      return `:${target.type}`;
  }
}

function posixPath(uri: Parameters<typeof hostPathOfUri>[0]): string | undefined {
  try {
    return hostPathOfUri(uri, "linux");
  } catch {
    return undefined;
  }
}
