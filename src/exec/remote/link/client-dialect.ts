import type { RpcDialect } from "../../../rpc/index.ts";
import { execDialect } from "../../server/exec-dialect.ts";

/**
 * How this side listens to an exec-server.
 *
 * Newer servers may tell more than this side knows. A message that cannot be
 * read, or an answer to nothing, ends the connection: what it was for is asked
 * for again on the next one.
 */
export const clientDialect: RpcDialect = {
  ...execDialect,
  malformed: () => "close",
  unknownNotification: "ignore",
};
