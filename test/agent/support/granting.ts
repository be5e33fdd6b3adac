/** Ports of turns in which more is allowed, or nothing is. */
import type { TurnPort } from "../../../src/agent/index.ts";
import {
  bindProfile,
  type Ceiling,
  grantTo,
  hostPathOfUri,
  PROTECTED_NAMES,
  parseAbsolutePath,
} from "../../../src/policy/index.ts";

/** Of a turn that asks for nothing. */
export const UNASKED: Pick<TurnPort, "renew" | "askPermissions" | "grant"> = {
  renew: async () => {},
  askPermissions: () => Promise.reject(new Error("nobody is asked")),
  grant: () => Promise.reject(new Error("nothing is granted")),
};

/** Grants as a host with these ceilings does. */
export function grantUnder(ceilings: () => readonly Ceiling[]): TurnPort["grant"] {
  return async ({ frame, asked, given }) => {
    const { cwd, workspaceRoots } = frame;
    const bind = (profile: typeof frame.profile) =>
      bindProfile(profile, {
        system: "linux",
        cwd: hostPathOfUri(cwd, "linux"),
        workspaceRoots: workspaceRoots.map((root) => hostPathOfUri(root, "linux")),
        tmpdir: undefined,
        slashTmp: parseAbsolutePath("/tmp"),
        platformDefaults: [],
        protectedNames: PROTECTED_NAMES,
        externalSandbox: "absent",
      });
    const bounds = { bind, system: "linux", ceilings: ceilings() } as const;
    return grantTo(frame.profile, { asked, given }, bounds);
  };
}
