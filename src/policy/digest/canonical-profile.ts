/**
 * One text for all spellings of a policy.
 *
 * Two policies with one text allow the same. Entry order, repetitions and the
 * words that explain an entry are not part of it.
 */
import type { BoundProfile } from "../access/bound-profile.ts";
import type { NetworkRules } from "../profile/network.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import type { UnixSockets } from "../profile/unix-sockets.ts";
import { canonicalSet, canonicalText } from "./canonical-text.ts";

/** The canonical form of a symbolic profile. */
export function canonicalProfile(profile: PermissionProfile): string {
  if (profile.type === "disabled") return canonicalText(profile);
  const network =
    profile.network.kind === "ruled" ? canonicalRules(profile.network.rules) : profile.network.kind;
  const unixSockets = beyond("none", profile.unixSockets);
  if (profile.type === "external") return canonicalText({ ...profile, network, unixSockets });
  const { fileSystem } = profile;
  const files =
    fileSystem.type === "restricted"
      ? { ...fileSystem, entries: canonicalSet(fileSystem.entries) }
      : fileSystem;
  return canonicalText({ ...profile, fileSystem: files, network, unixSockets });
}

/** The canonical form of a bound profile: one entry per path, so order is all that must go. */
export function canonicalBound(bound: BoundProfile): string {
  const { files, network, roots, enforcement } = bound;
  return canonicalText({
    ...bound,
    files: files.type === "restricted" ? canonicalFiles(files) : files,
    network:
      network.kind === "ruled"
        ? [...new Set(network.all.map(canonicalRules))].sort()
        : network.kind,
    unixSockets: beyond(enforcement === "disabled" ? "host" : "none", bound.unixSockets),
    roots: { ...roots, workspaceRoots: canonicalSet(roots.workspaceRoots) },
  });
}

function canonicalFiles(files: Extract<BoundProfile["files"], { type: "restricted" }>) {
  return {
    type: files.type,
    entries: canonicalSet(
      files.entries.map(({ path, access, protects }) => ({
        path,
        access,
        protects: canonicalSet(protects.map(({ name }) => name)),
      })),
    ),
    globs: canonicalSet(files.globs.map(({ pattern }) => pattern)),
    globScanMaxDepth: files.globScanMaxDepth,
  };
}

/** What a profile that says nothing has is no part of the form, so its digest is as old as the profile. */
function beyond(unsaid: UnixSockets, sockets: UnixSockets): UnixSockets | undefined {
  return sockets === unsaid ? undefined : sockets;
}

function canonicalRules(rules: NetworkRules): string {
  const { ports, ...rest } = rules;
  return canonicalText({ ...rest, ports: ports && canonicalSet(ports) });
}
