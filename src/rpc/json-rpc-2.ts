import type { RpcDialect } from "./dialect.ts";
import { clip } from "./issues/unexpected.ts";
import { RpcError } from "./rpc-error.ts";

/** JSON-RPC 2.0 as its specification has it, without batches. */
export const jsonRpc2: RpcDialect = {
  writesVersion: true,
  ids: ["string", "integer"],
  wording: { numbers: "value" },
  malformed: ({ kind, reason }) => ({
    id: null,
    error: new RpcError(
      kind === "notMessage" ? "invalidRequest" : "parseError",
      kind === "notMessage" ? `Invalid request: ${reason}` : `Parse error: ${reason}`,
    ),
  }),
  unknownMethod: (method) => new RpcError("methodNotFound", `Method not found: ${clip(method)}`),
  unknownNotification: "ignore",
  invalidNotification: "ignore",
  strayReply: "ignore",
  invalidParams: ({ problem }) => new RpcError("invalidParams", `Invalid params: ${problem}`),
};
