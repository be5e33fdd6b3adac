/**
 * The policy of a call as it was chosen, where a client says it beside the state.
 *
 * A state has its workspace written out as paths, so it is another policy by name
 * than the one of the thread. What a client says besides is believed only where
 * writing it out gives exactly the state: it can name a policy, never change one.
 */
import {
  materializeProfile,
  type PathUri,
  PolicyError,
  parseStraightUri,
  profileDigest,
  readCanonicalProfile,
  type SandboxState,
} from "../../policy/index.ts";
import { isObject, kindOf } from "../is-object.ts";
import { excessOf } from "./excess-of.ts";
import { RECEIPT_KEY } from "./state-keys.ts";

/** What a call is to run under. */
export interface CallState extends SandboxState {
  /** What the workspace symbols of the profile mean; without them, the folder of the call. */
  readonly workspaceRoots?: readonly PathUri[];
}

/** The state with its symbols, the state as it is where none were sent, or what is wrong with them. */
export function symbolicState(
  state: SandboxState,
  meta: Readonly<Record<string, unknown>>,
): CallState | string {
  const told = meta[RECEIPT_KEY];
  if (!isObject(told) || told.profile === undefined) return state;
  const excess = excessOf(told);
  if (excess !== undefined) return `"${RECEIPT_KEY}" ${excess}`;
  try {
    const profile = readCanonicalProfile(told.profile, `${RECEIPT_KEY}.profile`);
    const workspaceRoots = rootsOf(told.workspaceRoots);
    const written = materializeProfile(profile, { workspaceRoots, cwd: state.cwd });
    if (profileDigest(written) === profileDigest(state.profile)) {
      return { ...state, profile, workspaceRoots };
    }
    return `"${RECEIPT_KEY}.profile" is another policy than the state, expected the one that it was written from`;
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return error.message;
  }
}

function rootsOf(value: unknown): PathUri[] {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    return value.map(parseStraightUri);
  }
  throw new PolicyError(
    "malformed",
    `Cannot read "${RECEIPT_KEY}.workspaceRoots": it is ${kindOf(value)}, expected a list of URIs`,
  );
}
