/**
 * The `_meta` contract by which a thread's sandbox reaches MCP servers: the host
 * that sends it, the library that takes it, and confinement for servers that
 * know nothing of it.
 */
export { advertise, advertises } from "./state/advertise.ts";
export { type BoundState, bindState, type StateBounds } from "./state/bind-state.ts";
export { intentOfState, type NetworkBound } from "./state/intent-of-state.ts";
export {
  type CallContext,
  readMetaState,
  readSandboxState,
  type StateReading,
  type StateRefusal,
} from "./state/read-sandbox-state.ts";
export { refusalResult } from "./state/refusal-result.ts";
export { RECEIPT_KEY, STATE_ALIAS, STATE_KEY, STATE_KEYS, TURN_KEY } from "./state/state-keys.ts";
