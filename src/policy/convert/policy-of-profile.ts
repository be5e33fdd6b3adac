/**
 * A profile as the coarse policy that older parties understand.
 *
 * The answer says whether it is the same (`exact`) or only the nearest
 * (`lossy`, with what was lost). A lossy policy is for display; it is wider
 * than the profile and must never become the policy of record.
 */

import { joinUri } from "../paths/join-uri.ts";
import { nativeOfUri } from "../paths/native-of-uri.ts";
import type { PathUri } from "../paths/path-uri.ts";
import { sameUri } from "../paths/uri-contains.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import { type Entry, isGlob, type PathTarget } from "../profile/entry.ts";
import type { Network } from "../profile/network.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import { CODEX_NAMES } from "../profile/protected-names.ts";
import type { ReadOnlyAccess, SandboxPolicy } from "../profile/sandbox-policy.ts";
import { hasFullDiskWrite } from "./full-disk-write.ts";

export type PolicyProjection =
  | { readonly kind: "exact"; readonly policy: SandboxPolicy }
  | { readonly kind: "lossy"; readonly policy: SandboxPolicy; readonly lost: readonly string[] };

/** Projects a profile; throws when writes go where no policy can say. */
export function policyOfProfile(profile: PermissionProfile, cwd: PathUri): PolicyProjection {
  const lost = lostOutsideFiles(profile);
  if (profile.type === "disabled") return projection({ type: "dangerFullAccess" }, lost);
  const network = isEnabled(profile.network);
  const external: SandboxPolicy = {
    type: "externalSandbox",
    networkAccess: network ? "enabled" : "restricted",
  };
  if (profile.type === "external") return projection(external, lost);
  const { fileSystem } = profile;
  if (fileSystem.type === "unrestricted" || hasFullDiskWrite(fileSystem)) {
    const policy: SandboxPolicy = network ? { type: "dangerFullAccess" } : external;
    return projection(policy, [...lost, "that writ enforces it"]);
  }
  const parts = sortEntries(fileSystem.entries, cwd);
  const policy = parts.workspace ? workspaceWrite(parts, network) : readOnly(parts, network);
  return projection(policy, [...lost, ...parts.lost]);
}

interface Parts {
  workspace: boolean;
  tmpdir: boolean;
  slashTmp: boolean;
  fullRead: boolean;
  platformDefaults: boolean;
  readonly writable: string[];
  readonly readable: string[];
  readonly lost: string[];
}

function sortEntries(entries: readonly Entry[], cwd: PathUri): Parts {
  const parts: Parts = {
    workspace: false,
    tmpdir: false,
    slashTmp: false,
    fullRead: false,
    platformDefaults: false,
    writable: [],
    readable: [],
    lost: [],
  };
  const protections = protectionsOf(entries, cwd);
  for (const entry of entries) {
    if (isGlob(entry) || entry.access === "deny") parts.lost.push("deny entries");
    else if (entry.access === "write") addWrite(parts, entry.target, cwd);
    else if (!protections.has(entry)) addRead(parts, entry.target);
  }
  return parts;
}

function addWrite(parts: Parts, target: PathTarget, cwd: PathUri): void {
  if (target.type === "tmpdir") parts.tmpdir = true;
  else if (target.type === "slashTmp") parts.slashTmp = true;
  else if (target.type === "unknown") parts.lost.push("unknown symbols");
  else if (target.type === "workspaceRoots" && target.subpath === undefined) parts.workspace = true;
  else if (target.type === "workspaceRoots") addBoundRoot(parts, target.subpath ?? "", cwd);
  else if (target.type !== "path") throw outsideWorkspace();
  else if (sameUri(target.path, cwd)) parts.workspace = true;
  else parts.writable.push(nativeRoot(target.path));
}

/** A policy has no symbols, so a place below the workspace is said as the path it has now. */
function addBoundRoot(parts: Parts, subpath: string, cwd: PathUri): void {
  parts.writable.push(nativeRoot(joinUri(cwd, subpath)));
  parts.lost.push("symbols");
}

function addRead(parts: Parts, target: PathTarget): void {
  if (target.type === "root") parts.fullRead = true;
  else if (target.type === "minimal") parts.platformDefaults = true;
  else if (target.type === "path") parts.readable.push(nativeRoot(target.path));
  else parts.lost.push("read-only places below symbols");
}

/** The default protections that a policy implies: Codex's names below each writable root. */
function protectionsOf(entries: readonly Entry[], cwd: PathUri): Set<Entry> {
  const writes = entries.flatMap(({ target, access }) => (access === "write" ? [target] : []));
  const implied = new Set(
    writes.flatMap((target) => (target.type === "path" ? namesBelow(target.path) : [])),
  );
  const workspace = writes.some(
    (target) =>
      (target.type === "workspaceRoots" && target.subpath === undefined) ||
      (target.type === "path" && sameUri(target.path, cwd)),
  );
  return new Set(
    entries.filter(({ target, access, missing }) => {
      if (access !== "read" || missing !== "skip") return false;
      if (target.type === "path") return implied.has(target.path);
      return (
        workspace && target.type === "workspaceRoots" && CODEX_NAMES.includes(target.subpath ?? "")
      );
    }),
  );
}

function namesBelow(root: PathUri): PathUri[] {
  const path = nativeOfUri(root);
  return path === undefined ? [] : CODEX_NAMES.map((name) => uriOfNative(`${path}/${name}`));
}

function workspaceWrite(parts: Parts, networkAccess: boolean): SandboxPolicy {
  return {
    type: "workspaceWrite",
    writableRoots: parts.writable,
    readOnlyAccess: readAccess(parts),
    networkAccess,
    excludeTmpdirEnvVar: !parts.tmpdir,
    excludeSlashTmp: !parts.slashTmp,
  };
}

function readOnly(parts: Parts, networkAccess: boolean): SandboxPolicy {
  if (parts.writable.length > 0 || parts.tmpdir || parts.slashTmp) throw outsideWorkspace();
  return { type: "readOnly", access: readAccess(parts), networkAccess };
}

function readAccess(parts: Parts): ReadOnlyAccess {
  if (!parts.fullRead) {
    return {
      type: "restricted",
      includePlatformDefaults: parts.platformDefaults,
      readableRoots: parts.readable,
    };
  }
  if (parts.readable.length > 0) parts.lost.push("read-only places");
  if (parts.platformDefaults) parts.lost.push("platform defaults");
  return { type: "fullAccess" };
}

function lostOutsideFiles(profile: PermissionProfile): string[] {
  const lost = profile.limits ? ["limits"] : [];
  if (profile.type === "disabled") return lost;
  if (profile.network.kind === "ruled") lost.push("network rules");
  if (profile.unixSockets !== "none") lost.push("unix sockets");
  return lost;
}

/** Rules cannot be said, and "on" would be wider than they are. */
function isEnabled(network: Network): boolean {
  return network.kind === "enabled";
}

function projection(policy: SandboxPolicy, lost: readonly string[]): PolicyProjection {
  if (lost.length === 0) return { kind: "exact", policy };
  return { kind: "lossy", policy, lost: [...new Set(lost)] };
}

function nativeRoot(uri: PathUri): string {
  const path = nativeOfUri(uri);
  if (path !== undefined) return path;
  throw new PolicyError("unrepresentable", `Cannot say "${uri}" as a policy: it has no plain path`);
}

function outsideWorkspace(): PolicyError {
  return new PolicyError(
    "unrepresentable",
    "Cannot say the profile as a policy: it writes outside the workspace, expected the workspace to be writable too",
  );
}
