/** States as clients send them, and a host on which nothing exists but rules. */
import type { ExecHost } from "../../../../src/exec/index.ts";
import { STATE_ALIAS, STATE_KEY, TURN_KEY } from "../../../../src/mcp/index.ts";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import captures from "../../../fixtures/mcp-sandbox-state.json" with { type: "json" };

export interface Capture {
  readonly codex: string;
  readonly turnSandboxMode: string | null;
  readonly derivedMode: string | null;
  readonly state: Readonly<Record<string, unknown>>;
}

/** What real clients sent, by the name of the recording. */
export const CAPTURES: readonly (readonly [string, Capture])[] = Object.entries<Capture>(captures);

/** The `_meta` that the client of a capture sent: newer ones use two names, and say the turn's mode. */
export function metaOf({ codex, turnSandboxMode, state }: Capture): Record<string, unknown> {
  return {
    progressToken: 1,
    [STATE_KEY]: state,
    ...(codex === "0.166.0" && { [STATE_ALIAS]: structuredClone(state) }),
    ...(turnSandboxMode !== null && { [TURN_KEY]: { sandbox_mode: turnSandboxMode } }),
  };
}

/** A state of today with one member or more of its own. */
export function stateWith(members: object): Record<string, unknown> {
  return {
    permissionProfile: managed([{ path: special("root"), access: "read" }]),
    codexLinuxSandboxExe: null,
    sandboxCwd: "file:///srv/demo/ws",
    useLegacyLandlock: false,
    useMxc: false,
    ...members,
  };
}

export function managed(entries: readonly object[], network = "restricted") {
  return { type: "managed", file_system: { type: "restricted", entries }, network };
}

export function special(kind: string) {
  return { type: "special", value: { kind } };
}

/** A machine whose operator allows everything, unless said otherwise. */
export function hostWith(bounds: Partial<ExecHost["bounds"]> = {}): ExecHost {
  return {
    env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent/home" },
    platform: "linux",
    own: { hidden: [], readOnly: [] },
    records: parseAbsolutePath("/nonexistent/records"),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: {
      ceilings: [],
      roots: "any",
      waivers: "allowed",
      hostNetwork: "allowed",
      ...bounds,
    },
  };
}
