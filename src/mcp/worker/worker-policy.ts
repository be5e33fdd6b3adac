/**
 * Whose word a worker runs under: that of each call, or one that was set when it
 * was made. A call cannot say which.
 */
import {
  type Entry,
  modeOfProfile,
  type PathUri,
  type PermissionProfile,
} from "../../policy/index.ts";
import {
  type CallContext,
  readSandboxState,
  type StateReading,
} from "../state/read-sandbox-state.ts";
import type { CallState } from "../state/symbolic-state.ts";

export type WorkerPolicy =
  | {
      readonly kind: "inherit";
      /** Folders that calls which may write to their workspace may write to as well. */
      readonly writableRoots: readonly PathUri[];
    }
  | { readonly kind: "explicit"; readonly state: CallState };

/** What a call is to run under by a policy, or why it cannot. */
export function stateUnder(policy: WorkerPolicy, call: CallContext): StateReading {
  if (policy.kind === "explicit") return { kind: "state", state: policy.state };
  const reading = readSandboxState(call);
  if (reading.kind === "refused" || policy.writableRoots.length === 0) return reading;
  return withRoots(reading.state, policy.writableRoots);
}

/** More folders only make sense where some are writable and others are not. */
function withRoots(state: CallState, roots: readonly PathUri[]): StateReading {
  const mode = modeOfProfile(state.profile);
  if (mode !== "workspace-write") {
    const message = `Cannot run this call: it comes with ${mode}, and writable folders were added, expected workspace-write`;
    return { kind: "refused", code: "unenforceable", message };
  }
  return { kind: "state", state: { ...state, profile: withWritable(state.profile, roots) } };
}

/** What a program needs beside a policy: to be read, where most is not, and a place of its own. */
export function ownEntries(
  profile: PermissionProfile,
  { read, write }: { readonly read: readonly PathUri[]; readonly write: readonly PathUri[] },
): Entry[] {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return [];
  const parts = readsAll(profile) ? [] : read;
  return [
    ...parts.map((path): Entry => ({ target: { type: "path", path }, access: "read" })),
    // Such a place is made for one child and removed behind it.
    ...write.map(
      (path): Entry => ({ target: { type: "path", path }, access: "write", names: "open" }),
    ),
  ];
}

/** Whether all is open but what is writ's own, which then nothing opens. */
export function opensAll(profile: PermissionProfile): boolean {
  return profile.type === "managed" && profile.fileSystem.type === "unrestricted";
}

function readsAll(profile: PermissionProfile): boolean {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return true;
  return profile.fileSystem.entries.some(
    ({ target, access }) => target.type === "root" && access !== "deny",
  );
}

/** A profile that may write to more folders; one that lists none to write to stays as it is. */
function withWritable(profile: PermissionProfile, folders: readonly PathUri[]): PermissionProfile {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return profile;
  const { fileSystem } = profile;
  const added = folders.map((path): Entry => ({ target: { type: "path", path }, access: "write" }));
  return { ...profile, fileSystem: { ...fileSystem, entries: [...fileSystem.entries, ...added] } };
}
