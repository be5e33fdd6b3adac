/**
 * How clients of an app-server expect to be spoken to, and how much they may send.
 *
 * What is no message is not answered. A request that is, and that this side will
 * not hold, is: whoever sent it would wait for ever. So are bytes that are no text, with the id that can be
 * read in them or none, unless they show that nobody asked: a client that writes another encoding would
 * never learn why nothing answers.
 */
import {
  clip,
  JSON_LIMITS,
  oneOf,
  type PeerLimits,
  type RpcDialect,
  RpcError,
} from "../rpc/index.ts";

/** The one way in which every connection is answered. */
export const appDialect: RpcDialect = {
  writesVersion: false,
  ids: ["string", "integer"],
  wording: { numbers: "value" },
  malformed: ({ kind, meant = "request", requestId, reason }) => {
    if (meant !== "request") return "ignore";
    if (kind === "notText") {
      const error = new RpcError("parseError", `Parse error: ${reason}`);
      return { id: requestId ?? null, error };
    }
    return requestId === undefined ? "ignore" : { id: requestId, error: invalidRequest(reason) };
  },
  unknownMethod: (method, known) =>
    invalidRequest(`unknown variant \`${clip(method)}\`, expected ${oneOf(known)}`),
  unknownNotification: "ignore",
  invalidNotification: "ignore",
  strayReply: "ignore",
  invalidParams: ({ problem, absent }) =>
    invalidRequest(absent ? "missing field `params`" : problem),
  overloaded: () => new RpcError("overloaded", "Server overloaded; retry later."),
  stampNotification: () => ({ emittedAtMs: Date.now() }),
};

/** The longest message either way, in bytes: what clients of this wire take. */
export const APP_MESSAGE_BYTES = 128 * 1024 * 1024;

/** What one connection may make this process hold. Histories have more values than other messages. */
export const APP_LIMITS: Partial<PeerLimits> = {
  json: { ...JSON_LIMITS, maxLength: APP_MESSAGE_BYTES, maxValues: 1_048_576 },
  maxQueuedLengthUrgent: 128 * 1024 * 1024,
  maxUnsentReading: 128 * 1024 * 1024,
};

function invalidRequest(problem: string): RpcError {
  return new RpcError("invalidRequest", `Invalid request: ${problem}`);
}
