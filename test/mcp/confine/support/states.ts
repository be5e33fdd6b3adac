/** Three states that differ in what they allow, as a client writes them. */
const ROOT_READ = { path: { type: "special", value: { kind: "root" } }, access: "read" };

function wire(entries: readonly object[]) {
  return {
    permissionProfile: {
      type: "managed",
      file_system: { type: "restricted", entries: [ROOT_READ, ...entries] },
      network: "restricted",
    },
    codexLinuxSandboxExe: null,
    sandboxCwd: "file:///ws",
    useLegacyLandlock: false,
  };
}

const write = (path: string) => ({ path: { type: "path", path }, access: "write" });

export const A = wire([write("/ws")]);
export const B = wire([write("/other")]);
/** What a server is under before any call. */
export const RECEPTION = wire([]);

/** The `_meta` of a call under a state. */
export function metaOf(state: object, rest: object = {}): object {
  return { "codex/sandbox-state-meta": state, "codex/sandbox-state": state, ...rest };
}
