/** Two servers' ways of speaking, as their observed behaviour has them. */
import { oneOf, type RpcDialect, RpcError } from "../../../src/rpc/index.ts";

/** Answers nonsense with id -1 and leaves on an unknown notification. */
export const strictDialect: RpcDialect = {
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

/** Ignores nonsense, calls an unknown method an unknown variant, and stamps its notifications. */
export const lenientDialect = (now: () => number): RpcDialect => ({
  writesVersion: false,
  ids: ["string", "integer"],
  wording: { numbers: "value" },
  malformed: () => "ignore",
  unknownMethod: (method, known) =>
    new RpcError(
      "invalidRequest",
      `Invalid request: unknown variant \`${method}\`, expected ${oneOf(known)}`,
    ),
  unknownNotification: "ignore",
  invalidNotification: "ignore",
  strayReply: "ignore",
  invalidParams: ({ problem, absent }) =>
    new RpcError(
      "invalidRequest",
      `Invalid request: ${absent ? "missing field `params`" : problem}`,
    ),
  stampNotification: () => ({ emittedAtMs: now() }),
});

/** JSON-RPC 2.0 with the cancel notification editors use. */
export const cancellable = (dialect: RpcDialect): RpcDialect => ({
  ...dialect,
  cancel: {
    method: "$/cancelRequest",
    write: (id) => ({ id }),
    read: (params) => {
      const id = (params as { id?: unknown } | null)?.id;
      return typeof id === "string" || typeof id === "number" ? id : undefined;
    },
  },
});
