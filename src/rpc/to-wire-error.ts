import { RPC_CODES, RpcError, type WireError } from "./rpc-error.ts";

/** Receives what must not be sent: the fault itself, with its text and stack. */
export type FaultLog = (fault: unknown) => void;

/** Turns whatever a handler threw into an `error` member; a stranger's text goes to `log` only. */
export function toWireError(fault: unknown, log: FaultLog): WireError {
  if (fault instanceof RpcError) return fault.toWire();
  log(fault);
  return { code: RPC_CODES.internalError, message: "internal error" };
}
