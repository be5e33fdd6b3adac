import { type RpcCode, RpcError } from "../../../rpc/index.ts";
import { ExecError } from "../../exec-error.ts";
import { FileError, type FileErrorCode } from "../../files/file-error.ts";
import { toRpcError } from "../to-rpc-error.ts";

/** Clients tell "missing" and "not allowed" from the rest by number. */
const CODES: Partial<Record<FileErrorCode, RpcCode>> = {
  notFound: "notFound",
  denied: "invalidRequest",
  invalid: "invalidRequest",
};

/** What a failed file operation is on the wire. */
export function fileRpcError(error: unknown): unknown {
  if (error instanceof FileError) {
    return new RpcError(CODES[error.code] ?? "internalError", error.message, { cause: error });
  }
  // An intent that cannot be read is a bad parameter; one that cannot hold here is a refused request.
  const isRead = error instanceof ExecError && !isUnreadable(error);
  if (!isRead) return toRpcError(error);
  const { code, message, field } = error;
  const data = { ...(field !== undefined && { field }), writ: { code } };
  return new RpcError("invalidRequest", message, { cause: error, data });
}

function isUnreadable({ code, field }: ExecError): boolean {
  return code === "invalidRequest" && field === "sandbox";
}
