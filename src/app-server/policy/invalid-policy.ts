import { ConfigError } from "../../config/index.ts";
import { ExecError } from "../../exec/index.ts";
import { PolicyError } from "../../policy/index.ts";
import { RpcError } from "../../rpc/index.ts";

/** How refusals of one request begin, as clients of the protocol know them. */
export type RefusalWording = "start" | "override";

const NOT_ALLOWED: Record<RefusalWording, string> = {
  start: "invalid sandbox policy",
  override: "invalid thread settings override",
};

/** A policy that is malformed, unknown or over a ceiling. */
export function invalidPolicy(cause: unknown, wording: RefusalWording): unknown {
  if (!isOurs(cause)) return cause;
  const { message } = cause;
  return new RpcError("invalidRequest", `${NOT_ALLOWED[wording]}: ${message}`, { cause });
}

/** A policy that was allowed and cannot be put in force here. */
export function cannotApply(cause: unknown, wording: RefusalWording): unknown {
  if (cause instanceof ExecError && cause.code === "notAllowed") {
    return invalidPolicy(cause, wording);
  }
  if (!isOurs(cause)) return cause;
  return new RpcError("internalError", `error applying sandbox policy: ${cause.message}`, {
    cause,
  });
}

function isOurs(cause: unknown): cause is Error {
  return cause instanceof PolicyError || cause instanceof ConfigError || cause instanceof ExecError;
}
