import type { McpServerStatus, McpTools } from "../../agent/index.ts";
import { type Handlers, RpcError } from "../../rpc/index.ts";
import type { AppConnection } from "../app-connection.ts";
import type { mcpMethods } from "../protocol/mcp-methods.ts";
import type { Threads } from "../threads/threads.ts";

/** Handlers of `mcpServer*`. A client's own call carries no sandbox: servers that need one refuse it. */
export function mcpHandlers(
  mcp: McpTools,
  threads: Threads,
): Handlers<typeof mcpMethods, AppConnection> {
  return {
    statusList: async ({ threadId, serverName }, _, { signal }) => {
      const thread = threadId === undefined || threadId === null ? null : threads.find(threadId).id;
      const all = await mcp.status(thread, signal);
      const wanted = all.filter(({ name }) => !serverName || serverName === name);
      return { data: wanted.map(writeStatus), nextCursor: null };
    },
    toolCall: async ({ threadId, server, tool, arguments: given, _meta: meta }, _, { signal }) => {
      const thread = threads.find(threadId);
      const call = {
        server,
        name: tool,
        ...(isTable(given) && { arguments: given }),
        ...(isTable(meta) && { meta }),
      };
      refuseOther("arguments", given);
      refuseOther("_meta", meta);
      try {
        return { ...(await mcp.callForClient(thread.id, call, signal)) };
      } catch (cause) {
        const what = cause instanceof Error ? cause.message : String(cause);
        throw new RpcError("internalError", what, { cause });
      }
    },
  };
}

type Table = Readonly<Record<string, unknown>>;

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuseOther(member: string, value: unknown): void {
  if (value === undefined || value === null || isTable(value)) return;
  throw new RpcError("invalidRequest", `Invalid request: \`${member}\` is no object`);
}

function runtimeStatus(state: McpServerStatus["state"]) {
  return state === "ready" ? ("connected" as const) : state;
}

function writeStatus({ name, state, error, tools }: McpServerStatus) {
  const named = tools.map((tool) => [tool.name, { ...tool }]);
  return {
    name,
    runtimeStatus: runtimeStatus(state),
    pluginId: null,
    httpOrigin: null,
    serverInfo: null,
    serverCapabilities: null,
    toolListMeta: null,
    tools: Object.fromEntries(named),
    toolsError: error,
    resources: [],
    resourceTemplates: [],
    authStatus: "unsupported" as const,
  };
}
