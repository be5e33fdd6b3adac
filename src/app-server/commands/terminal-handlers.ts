/** What goes on in threads, and an end to it that needs no model. */
import type { ThreadProcess } from "../../agent/index.ts";
import { type Handlers, RpcError } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import type { terminalMethods } from "../protocol/terminal-methods.ts";
import type { Threads } from "../threads/threads.ts";

/** Handlers of `thread/backgroundTerminals/*`. */
export function terminalHandlers(
  threads: Threads,
): Handlers<typeof terminalMethods, AppConnection> {
  return {
    list: ({ threadId, cursor, limit }) => {
      const after = readCursor(cursor);
      const rest = threads.find(threadId).processes.filter(({ order }) => order > after);
      const page = rest.slice(0, limit || rest.length);
      const last = page.length < rest.length ? page.at(-1) : undefined;
      return { data: page.map(writeProcess), nextCursor: last ? String(last.order) : null };
    },
    terminate: async ({ threadId, processId }) => ({
      terminated: await threads.find(threadId).endProcess(processId),
    }),
    clean: async ({ threadId }) => {
      const thread = threads.find(threadId);
      await Promise.all(thread.processes.map(({ processId }) => thread.endProcess(processId)));
      return {};
    },
  };
}

function readCursor(cursor: string | null | undefined): number {
  if (cursor === undefined || cursor === null) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new RpcError("invalidRequest", `invalid cursor: ${cursor}`);
}

function writeProcess({ processId, item }: ThreadProcess) {
  const { id: itemId, command, cwd, source } = item;
  const unknown = { osPid: null, cpuPercent: null, rssKb: null };
  return { itemId, processId, command, cwd, ...unknown, writ: { source } };
}
