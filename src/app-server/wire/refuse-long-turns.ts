import { RpcError } from "../../rpc/index.ts";
import type { ThreadStore } from "../store/thread-store.ts";

/** As much as fits one message, with all that clients are told of an item besides. */
const MOST_BYTES = 64 << 20;

/** Throws `RpcError`, before anything is done, where all turns of a thread would not fit one answer. */
export function refuseLongTurns(store: ThreadStore, id: string, instead: string): void {
  const bytes = store.historyBytes(id);
  if (bytes <= MOST_BYTES) return;
  const what = `they have ${bytes} bytes, expected at most ${MOST_BYTES}. Ask ${instead}, and for pages with \`thread/items/list\``;
  throw new RpcError("invalidRequest", `Cannot tell all turns of thread ${id}: ${what}`, {
    data: { writ: { code: "turnsTooLong" } },
  });
}
