import { ExecError, FileError } from "../../exec/index.ts";
import { PolicyError } from "../../policy/index.ts";
import { RpcError } from "../../rpc/index.ts";

/** What a failed file operation is on the wire: the request is at fault, or what it met. */
export function fileRpcError(cause: unknown): unknown {
  if (cause instanceof FileError) {
    const { code, byPolicy, message } = cause;
    const data = { writ: { code, byPolicy } };
    return new RpcError(code === "invalid" ? "invalidRequest" : "internalError", message, {
      cause,
      data,
    });
  }
  if (cause instanceof ExecError) {
    const isRefused = cause.code === "invalidRequest" || cause.code === "notAllowed";
    const data = { writ: { code: cause.code } };
    return new RpcError(isRefused ? "invalidRequest" : "internalError", cause.message, {
      cause,
      data,
    });
  }
  if (!(cause instanceof PolicyError)) return cause;
  return new RpcError("invalidRequest", `Invalid request: ${cause.message}`, { cause });
}
