/**
 * Whose word a worker runs under: that of each call, or one that was set when it
 * was made. A call cannot say which.
 */
import {
  type Entry,
  modeOfProfile,
  type PathUri,
  type PermissionProfile,
  type SandboxState,
} from "../../policy/index.ts";
import {
  type CallContext,
  readSandboxState,
  type StateReading,
} from "../state/read-sandbox-state.ts";

export type WorkerPolicy =
  | {
      readonly kind: "inherit";
      /** Folders that calls which may write to their workspace may write to as well. */
      readonly writableRoots: readonly PathUri[];
    }
  | { readonly kind: "explicit"; readonly state: SandboxState };

/** What a call is to run under by a policy, or why it cannot. */
export function stateUnder(policy: WorkerPolicy, call: CallContext): StateReading {
  if (policy.kind === "explicit") return { kind: "state", state: policy.state };
  const reading = readSandboxState(call);
  if (reading.kind === "refused" || policy.writableRoots.length === 0) return reading;
  return withRoots(reading.state, policy.writableRoots);
}

/** More folders only make sense where some are writable and others are not. */
function withRoots(state: SandboxState, roots: readonly PathUri[]): StateReading {
  const mode = modeOfProfile(state.profile);
  if (mode !== "workspace-write") {
    const message = `Cannot run this call: it comes with ${mode}, and writable folders were added, expected workspace-write`;
    return { kind: "refused", code: "unenforceable", message };
  }
  return { kind: "state", state: { ...state, profile: withWritable(state.profile, roots) } };
}

/** A profile that may write to more folders; one that lists none to write to stays as it is. */
export function withWritable(
  profile: PermissionProfile,
  folders: readonly PathUri[],
): PermissionProfile {
  return withEntries(profile, folders, "write");
}

/** A profile under which a program can be read that has to be. Most let everything be read. */
export function withReadable(
  profile: PermissionProfile,
  paths: readonly PathUri[],
): PermissionProfile {
  return readsAll(profile) ? profile : withEntries(profile, paths, "read");
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

function withEntries(
  profile: PermissionProfile,
  paths: readonly PathUri[],
  access: "read" | "write",
): PermissionProfile {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return profile;
  const { fileSystem } = profile;
  const added = paths.map((path): Entry => ({ target: { type: "path", path }, access }));
  return { ...profile, fileSystem: { ...fileSystem, entries: [...fileSystem.entries, ...added] } };
}
