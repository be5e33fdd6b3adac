/**
 * Writes the workspace of a profile out as paths, for a party that is told no roots.
 *
 * Nothing is bound here: temporary folders and platform defaults stay symbols,
 * because only the host that enforces them knows where they are. What binding
 * refuses of a workspace symbol is refused here too, since nobody could tell
 * afterwards that the path had been one.
 */
import { describeEntry } from "../access/describe-entry.ts";
import { expandBraces } from "../access/expand-braces.ts";
import { escapeGlob } from "../access/glob.ts";
import { joinUri } from "../paths/join-uri.ts";
import { nativeOfUri } from "../paths/native-of-uri.ts";
import type { PathUri } from "../paths/path-uri.ts";
import { parentUri } from "../paths/uri-contains.ts";
import { PolicyError } from "../policy-error.ts";
import { type Entry, type GlobEntry, isGlob, type PathEntry } from "../profile/entry.ts";
import type { FileSystem, PermissionProfile } from "../profile/permission-profile.ts";

/** Where the workspace of a call is. */
export interface Workspace {
  readonly workspaceRoots: readonly PathUri[];
  readonly cwd: PathUri;
}

/**
 * The profile without workspace symbols: each entry in its place, once for every root, as Codex
 * writes it. An entry that would stand there twice is written once, for it says nothing more.
 */
export function materializeProfile(
  profile: PermissionProfile,
  workspace: Workspace,
): PermissionProfile {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return profile;
  return { ...profile, fileSystem: materializeFiles(profile.fileSystem, workspace) };
}

type Restricted = Extract<FileSystem, { type: "restricted" }>;

function materializeFiles(files: Restricted, workspace: Workspace): Restricted {
  const entries = files.entries.map((entry) => ({
    entry,
    paths: isGlob(entry) ? globsOf(entry, workspace) : pathsOf(entry, workspace),
  }));
  const written = entries.flatMap(({ paths }) => paths);
  const writes = written.some(({ access }) => access === "write");
  const lost = entries.find(({ entry, paths }) => paths.length === 0 && restricts(entry, writes));
  if (lost !== undefined) throw vanishing(lost.entry);
  return {
    ...files,
    entries: [...new Map(written.map((entry) => [JSON.stringify(entry), entry])).values()],
  };
}

/** Beside a write grant, `read` is a restriction too. */
function restricts({ access, missing }: Entry, besideWrite: boolean): boolean {
  return access === "deny" || (access === "read" && missing !== "skip" && besideWrite);
}

function pathsOf(entry: PathEntry, { workspaceRoots }: Workspace): Entry[] {
  const { target } = entry;
  if (target.type !== "workspaceRoots") return [entry];
  return workspaceRoots.map((root) => {
    const path = target.subpath === undefined ? root : joinUri(root, target.subpath);
    if (entry.access === "write" && parentUri(path) === undefined) throw wholeDisk(entry, path);
    return { ...entry, target: { type: "path", path } };
  });
}

/** A bare pattern such as `*.env` means every depth below the cwd, as it does when it is bound. */
function globsOf(entry: GlobEntry, { cwd, workspaceRoots }: Workspace): Entry[] {
  const { base, pattern } = entry.target;
  if (base === "absolute") return [entry];
  const absolute =
    base === "cwd"
      ? expandBraces(pattern).map((one) => below(cwd, one.includes("/") ? one : `**/${one}`))
      : workspaceRoots.map((root) => below(root, pattern));
  return absolute.map((one) => ({
    ...entry,
    target: { type: "glob", base: "absolute", pattern: one },
  }));
}

/** Joins a pattern to a folder whose own name is meant literally. */
function below(folder: PathUri, pattern: string): string {
  const path = nativeOfUri(folder);
  if (path === "/") return `/${pattern}`;
  if (path?.startsWith("/")) return `${escapeGlob(path)}/${pattern}`;
  throw new PolicyError(
    "unrepresentable",
    `Cannot write pattern ${JSON.stringify(pattern)} below "${folder}": it is no POSIX path, expected one`,
  );
}

function vanishing(entry: Entry): PolicyError {
  return new PolicyError(
    "unbindable",
    `Cannot write ${describeEntry(entry)} out: there are no workspace roots, and a restriction must not vanish`,
  );
}

function wholeDisk(entry: Entry, path: PathUri): PolicyError {
  return new PolicyError(
    "unbindable",
    `Cannot write ${describeEntry(entry)} out: the symbol is "${path}", which would open the whole disk`,
  );
}
