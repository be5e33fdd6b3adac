import { type RpcDialect, RpcError } from "../../rpc/index.ts";

/** How clients of an exec-server expect to be spoken to. */
export const execDialect: RpcDialect = {
  writesVersion: false,
  ids: ["string", "integer"],
  wording: { numbers: "kind" },
  malformed: ({ reason, transport, label }) => ({
    id: -1,
    error: new RpcError(
      "invalidRequest",
      transport === "stdio"
        ? `failed to parse JSON-RPC message from exec-server stdio: ${reason}`
        : `failed to parse websocket JSON-RPC message from exec-server websocket ${label}: ${reason}`,
    ),
  }),
  unknownMethod: (method) =>
    new RpcError("methodNotFound", `exec-server stub does not implement \`${method}\` yet`),
  unknownNotification: "close",
  invalidNotification: "close",
  strayReply: "close",
  invalidParams: ({ problem }) => new RpcError("invalidParams", problem),
};
