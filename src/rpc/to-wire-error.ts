import { ReceivedRpcError } from "./received-rpc-error.ts";
import { RPC_CODES, RpcError, type WireError } from "./rpc-error.ts";

/** Receives what must not be sent: the fault itself, with its text and stack. */
export type FaultLog = (fault: unknown) => void;

/** Turns whatever a handler threw into an `error` member; a stranger's text goes to `log` only. */
export function toWireError(fault: unknown, log: FaultLog): WireError {
  const told = ownError(fault);
  if (told) return told;
  quietLog(log)(fault);
  return { code: RPC_CODES.internalError, message: "internal error" };
}

/** The same log, except that its own faults keep nobody waiting for an answer. */
export function quietLog(log: FaultLog): FaultLog {
  return (fault) => {
    try {
      log(fault);
    } catch {
      // There is no second place to report to.
    }
  };
}

/** The error this program meant to send, if it is one and a reader would take it. */
function ownError(fault: unknown): WireError | undefined {
  try {
    if (!(fault instanceof RpcError) || fault instanceof ReceivedRpcError) return undefined;
    const wire = fault.toWire();
    const isSound = Number.isSafeInteger(wire.code) && typeof wire.message === "string";
    return isSound ? wire : undefined;
  } catch {
    // A thrown value may have traps and getters that throw.
    return undefined;
  }
}
