/**
 * Tools of configured MCP servers, for models and for clients of threads.
 *
 * Each thread has its own servers, for many keep something from call to call. A
 * call of a model carries the sandbox of its turn, or is not made.
 */
import type { CallToolResult } from "@modelcontextprotocol/client";
import {
  type LinkOptions,
  McpError,
  type ToolCall as ServerCall,
  type ServerTransport,
  type StdioServer,
} from "../../mcp/index.ts";
import type { ToolSource } from "../tools/tool.ts";
import type { McpServerSettings } from "./mcp-server-settings.ts";
import { type McpServerStatus, McpThread } from "./mcp-thread.ts";
import type { ServerState, ThreadServerOptions } from "./thread-server.ts";

export interface McpToolsOptions extends Pick<LinkOptions, "executor" | "client" | "cwd" | "env"> {
  readonly servers: ReadonlyMap<string, McpServerSettings>;
  /** Makes a server that runs inside the sandbox of each call. */
  readonly confine: (
    name: string,
    config: StdioServer,
  ) => ServerTransport | Promise<ServerTransport>;
  /** What a server prints for people. */
  readonly stderr?: (server: string, chunk: Uint8Array) => void;
  /** How far the server of a thread is. */
  readonly startup?: (update: McpStartup) => void;
}

export interface McpStartup {
  /** Nothing for a list that was asked for outside of threads. */
  readonly thread: string | null;
  readonly server: string;
  readonly state: ServerState;
  readonly error: string | null;
}

export interface McpTools extends ToolSource {
  /** Calls a tool for a client of a thread. Throws {@link McpError}. */
  callForClient(
    thread: string,
    call: ServerCall & { readonly server: string },
    signal: AbortSignal,
  ): Promise<CallToolResult>;
  /** What the servers offer: those of a thread, or, without one, started for this and ended again. */
  status(thread: string | null, signal: AbortSignal): Promise<readonly McpServerStatus[]>;
}

export function createMcpTools(options: McpToolsOptions): McpTools {
  const threads = new Map<string, McpThread>();
  const open = (thread: string | null) => new McpThread(serversOf(options, thread));
  return {
    openThread(thread) {
      const opened = open(thread);
      threads.set(thread, opened);
      return {
        declarations: (context) => opened.declarations(context),
        has: (name) => opened.has(name),
        run: (call, context) => opened.run(call, context),
        endTurn: () => opened.endTurn(),
        close: () => {
          if (threads.get(thread) === opened) threads.delete(thread);
          return opened.close();
        },
      };
    },
    async callForClient(thread, { server, ...call }, signal) {
      const opened = threads.get(thread);
      if (opened !== undefined) return opened.callForClient(server, call, signal);
      const what = `call tool "${call.name}" of MCP server "${server}"`;
      throw new McpError("closed", `Cannot ${what}: the thread is not loaded`);
    },
    async status(thread, signal) {
      const opened = thread === null ? undefined : threads.get(thread);
      if (opened !== undefined) return opened.status(signal);
      const passing = open(null);
      try {
        return await passing.status(signal);
      } finally {
        await passing.close();
      }
    },
  };
}

function serversOf(options: McpToolsOptions, thread: string | null): ThreadServerOptions[] {
  const { servers, executor, confine, client, cwd, env, stderr, startup } = options;
  return [...servers]
    .filter(([, { enabled }]) => enabled)
    .map(([name, settings]) => ({
      name,
      settings,
      link: {
        executor,
        client,
        cwd,
        env,
        confine: (config) => confine(name, config),
        stderr: (chunk) => stderr?.(name, chunk),
      },
      changed: (state, error) => startup?.({ thread, server: name, state, error }),
    }));
}
