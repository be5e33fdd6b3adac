const ROOT_READ = { path: { type: "special", value: { kind: "root" } }, access: "read" };

export interface Allowed {
  readonly write?: readonly string[];
  readonly network?: "restricted" | "enabled";
}

/** A state as Codex writes it: all may be read, and what is said written. */
export function wireState(folder: string, { write = [], network = "restricted" }: Allowed = {}) {
  const opened = write.map((path) => ({ path: { type: "path", path }, access: "write" }));
  const entries = [ROOT_READ, ...opened];
  return state(folder, {
    type: "managed",
    file_system: { type: "restricted", entries },
    network,
  });
}

/** The state of a policy without a sandbox. */
export function openState(folder: string) {
  return state(folder, { type: "disabled" });
}

function state(folder: string, permissionProfile: object) {
  return {
    permissionProfile,
    codexLinuxSandboxExe: null,
    sandboxCwd: `file://${folder}`,
    useLegacyLandlock: false,
  };
}
