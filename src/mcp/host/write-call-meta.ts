/**
 * The host's side of the contract: the sandbox of one tool call, as its server reads it.
 *
 * The value is what Codex sends, so that a server written for Codex takes ours.
 * What Codex has no word for travels beside it only where a party that does not
 * know our word allows less, never more.
 */
import {
  materializeProfile,
  modeOfProfile,
  type PathUri,
  type PermissionProfile,
  profileDigest,
  writeCanonicalProfile,
  writeSandboxState,
} from "../../policy/index.ts";
import { McpError } from "../mcp-error.ts";
import { RECEIPT_KEY, STATE_ALIAS, STATE_KEY, TURN_KEY } from "../state/state-keys.ts";
import { stripCallMeta } from "./strip-call-meta.ts";

/** The sandbox that applies to one call. */
export interface CallSandbox {
  /** As it was chosen, with the symbols of the workspace. */
  readonly profile: PermissionProfile;
  readonly cwd: PathUri;
  readonly workspaceRoots: readonly PathUri[];
  readonly ids: CallIds;
}

/** Which call of which thread it is, for the receipts of both sides. */
export interface CallIds {
  readonly threadId?: string;
  readonly turnId?: string;
  readonly callId?: string;
}

/** Who reads the state: writ itself, which knows every word of it, or whoever asked for it. */
export type StateReader = "writ" | "anybody";

/** The `_meta` of a call: the caller's own, and the state. Throws where the state cannot be said. */
export function writeCallMeta(
  meta: unknown,
  { profile: symbolic, cwd, workspaceRoots, ids }: CallSandbox,
  reader: StateReader,
): Record<string, unknown> {
  const profile = materializeProfile(symbolic, { workspaceRoots, cwd });
  if (reader === "anybody") refuseLimits(profile);
  const state = writeSandboxState(
    {
      generation: "G4",
      profile,
      cwd,
      codexLinuxSandboxExe: null,
      useLegacyLandlock: false,
      useMxc: false,
    },
    "carry",
  );
  const { threadId, turnId } = ids;
  return {
    ...stripCallMeta(meta),
    [STATE_KEY]: state,
    [STATE_ALIAS]: state,
    [TURN_KEY]: {
      sandbox_mode: modeOfProfile(profile),
      ...(threadId !== undefined && { thread_id: threadId }),
      ...(turnId !== undefined && { turn_id: turnId }),
    },
    // The policy of the thread by its own name, which the server can hold against the state.
    [RECEIPT_KEY]: {
      version: 1,
      profileDigest: profileDigest(symbolic),
      profile: writeCanonicalProfile(symbolic, "carry"),
      workspaceRoots,
      ...ids,
    },
  };
}

/** Network rules and sockets are less to who does not know them; limits are nothing at all. */
function refuseLimits({ limits }: PermissionProfile): void {
  if (limits === undefined) return;
  throw new McpError(
    "noState",
    `Cannot send the sandbox of this call: it has limits (${Object.keys(limits).join(", ")}), which this server may not know, expected a server with sandbox = "confine"`,
  );
}
