/**
 * The server's side of the contract: what sandbox one tool call comes with.
 *
 * There is a state or a refusal, never a default. A client's word on the turn
 * is compared with the state, because real clients send a state that lags; it
 * is never used in its place.
 */
import { isDeepStrictEqual } from "node:util";
import {
  modeOfProfile,
  PolicyError,
  readSandboxState as readState,
  type SandboxState,
} from "../../policy/index.ts";
import { isObject, kindOf } from "../is-object.ts";
import { excessOf } from "./excess-of.ts";
import { STATE_ALIAS, STATE_KEY, TURN_KEY } from "./state-keys.ts";
import { type CallState, symbolicState } from "./symbolic-state.ts";

/** What a handler is given of a request: by version 1 of the SDK, or by version 2. */
export type CallContext =
  | { readonly _meta?: unknown; readonly mcpReq?: undefined }
  | { readonly mcpReq: { readonly _meta?: unknown } };

export type StateReading = { readonly kind: "state"; readonly state: CallState } | StateRefusal;

export interface StateRefusal {
  readonly kind: "refused";
  /**
   * `missing`: none was sent. `malformed`: it cannot be meant as sent. `contradictory`: it says two
   * things. `unenforceable`: nothing here can, or may, run under it.
   */
  readonly code: "missing" | "malformed" | "contradictory" | "unenforceable";
  readonly message: string;
}

/** As much of a client's word as a sentence repeats. */
const MOST_QUOTED = 40;

/** Reads the state of the call that a handler was given, whichever client and generation sent it. */
export function readSandboxState(call: CallContext): StateReading {
  return readMetaState(call.mcpReq === undefined ? call._meta : call.mcpReq._meta);
}

/** Reads the state out of the `_meta` of a request. */
export function readMetaState(meta: unknown): StateReading {
  if (meta === undefined) return MISSING;
  if (!isObject(meta)) return malformed(`"_meta" is ${kindOf(meta)}, expected an object`);
  const given = [STATE_KEY, STATE_ALIAS].filter((key) => Object.hasOwn(meta, key));
  const [key] = given;
  if (key === undefined) return MISSING;
  for (const one of given) {
    const excess = excessOf(meta[one]);
    if (excess !== undefined) return malformed(`"${one}" ${excess}`);
  }
  if (given.length === 2 && !isDeepStrictEqual(meta[STATE_KEY], meta[STATE_ALIAS])) {
    return contradictory(`"${STATE_KEY}" and "${STATE_ALIAS}" differ, expected one state`);
  }
  return readValue(meta[key], meta);
}

function readValue(value: unknown, meta: Record<string, unknown>): StateReading {
  try {
    const state = readState(value);
    const contradiction = contradictionOf(state, meta);
    if (contradiction !== undefined) return contradiction;
    const symbolic = symbolicState(state, meta);
    return typeof symbolic === "string"
      ? contradictory(symbolic)
      : { kind: "state", state: symbolic };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return malformed(error.message);
  }
}

/** The turn's coarse word, where it is there, must be that of the state. */
function contradictionOf(
  { profile }: SandboxState,
  meta: Record<string, unknown>,
): StateRefusal | undefined {
  const turn = meta[TURN_KEY];
  if (turn === undefined) return undefined;
  if (!isObject(turn)) return malformed(`"${TURN_KEY}" is ${kindOf(turn)}, expected an object`);
  const said = turn.sandbox_mode;
  const mode = modeOfProfile(profile);
  if (said === undefined || said === mode) return undefined;
  if (typeof said !== "string") {
    return malformed(`"${TURN_KEY}.sandbox_mode" is ${kindOf(said)}, expected text`);
  }
  return contradictory(
    `the state means ${mode}, but "${TURN_KEY}.sandbox_mode" says ${JSON.stringify(said.slice(0, MOST_QUOTED))}: the client lags behind its own settings. Choose another mode with a turn and then this one again, or restart the client`,
  );
}

const MISSING: StateRefusal = {
  kind: "refused",
  code: "missing",
  message: `Cannot run this call: it came without sandbox state, expected "${STATE_KEY}" in its "_meta". Codex sends it with the calls that a model makes, not with those of a client itself; for clients that send none, give the server a policy of its own, such as --sandbox workspace-write`,
};

/** What is wrong may repeat what was sent, and that may be long. */
const MOST_TOLD = 1000;

function malformed(what: string): StateRefusal {
  const told = what.length > MOST_TOLD ? `${what.slice(0, MOST_TOLD)}…` : what;
  return { kind: "refused", code: "malformed", message: `Cannot run this call: ${told}` };
}

function contradictory(what: string): StateRefusal {
  return { kind: "refused", code: "contradictory", message: `Cannot run this call: ${what}` };
}
