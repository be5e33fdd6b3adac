import { ExecError, type ExecErrorCode } from "../../exec/index.ts";
import { type RpcCode, RpcError } from "../../rpc/index.ts";
import type { AskedCommand } from "./read-command.ts";

/** A request that is at fault; all else is a fault of this machine. */
const REFUSED = new Set<ExecErrorCode>(["invalidRequest", "notAllowed"]);

/** Why a command was not started, on the wire. What is no refusal of an executor stays what it is. */
export function startRpcError(error: unknown, policy: AskedCommand["policy"]): unknown {
  if (!(error instanceof ExecError)) return error;
  const code: RpcCode = REFUSED.has(error.code) ? "invalidRequest" : "internalError";
  return told(error, code, `${prefixOf(error.code, policy)}${error.message}`);
}

/** Why a command that runs cannot be followed or spoken to. */
export function commandRpcError(error: unknown): unknown {
  if (!(error instanceof ExecError)) return error;
  return told(error, REFUSED.has(error.code) ? "invalidRequest" : "internalError", error.message);
}

function prefixOf(code: ExecErrorCode, policy: AskedCommand["policy"]): string {
  if (code === "invalidRequest") return "";
  if (code !== "notAllowed") return "failed to spawn command: ";
  return policy.permissionProfile === undefined
    ? "invalid sandbox policy: "
    : "invalid permission profile: ";
}

function told(cause: ExecError, code: RpcCode, message: string): RpcError {
  const { receiptId } = cause;
  const writ = { code: cause.code, ...(receiptId !== undefined && { receiptId }) };
  return new RpcError(code, message, { cause, data: { writ } });
}
