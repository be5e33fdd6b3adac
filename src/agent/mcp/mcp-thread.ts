/** The MCP servers of one thread. Nothing is started before their tools are wanted. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { McpError, type ToolCall as ServerCall } from "../../mcp/index.ts";
import type { ToolDeclaration } from "../model/model.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome } from "../tools/tool.ts";
import { type McpTarget, runMcpCall } from "./run-mcp-call.ts";
import { ThreadServer, type ThreadServerOptions } from "./thread-server.ts";
import { toolName } from "./tool-name.ts";

/** What a server offers, and how far it is. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: ThreadServer["state"];
  readonly error: string | null;
  readonly tools: readonly ThreadServer["known"][number]["tool"][];
}

export class McpThread {
  readonly #servers: ReadonlyMap<string, ThreadServer>;
  #targets: ReadonlyMap<string, McpTarget> = new Map();

  constructor(servers: readonly ThreadServerOptions[]) {
    this.#servers = new Map(servers.map((options) => [options.name, new ThreadServer(options)]));
  }

  async declarations({ frame, port }: ToolContext): Promise<readonly ToolDeclaration[]> {
    // Servers run here, and the paths of a policy for elsewhere mean nothing here.
    const here = frame.environment === "local";
    this.#targets = here ? await this.#list(port.signal) : new Map();
    return [...this.#targets].map(([name, { known }]) => ({
      name,
      description: known.tool.description ?? known.tool.title ?? known.tool.name,
      inputSchema: known.tool.inputSchema,
    }));
  }

  has(name: string): boolean {
    return this.#targets.has(name);
  }

  async run(call: ToolCall, context: ToolContext): Promise<ToolOutcome> {
    const target = this.#targets.get(call.name);
    const current = target && (await this.#current(target, context));
    if (current !== undefined) return runMcpCall(call, current, context);
    const gone = `Cannot call "${call.name}": the server no longer has this tool`;
    return refuseCall(call, gone, context);
  }

  /** Servers are asked again in the next turn, those that failed as well. */
  async endTurn(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.endTurn()));
  }

  /** Calls a tool for a client of the thread: no sandbox goes with it, and servers that need one refuse. */
  async callForClient(
    server: string,
    call: ServerCall,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const found = this.#servers.get(server);
    const what = `Cannot call tool "${call.name}" of MCP server "${server}"`;
    if (found === undefined) {
      throw new McpError("misconfigured", `${what}: there is no such server that is enabled`);
    }
    if (found.allows(call.name)) return found.connection.callForClient(call, { signal });
    throw new McpError("misconfigured", `${what}: the configuration does not let it be used`);
  }

  /** Lists every server, and starts those that are not. */
  async status(signal: AbortSignal): Promise<readonly McpServerStatus[]> {
    return Promise.all(
      [...this.#servers.values()].map(async (server) => {
        const known = await server.list(signal);
        const tools = known.map(({ tool }) => tool);
        return { name: server.name, state: server.state, error: server.error, tools };
      }),
    );
  }

  async close(): Promise<void> {
    this.#targets = new Map();
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  async #list(signal: AbortSignal): Promise<ReadonlyMap<string, McpTarget>> {
    const targets = await Promise.all(
      [...this.#servers.values()].map(async (server) => {
        const known = await server.list(signal);
        return known.map((one): [string, McpTarget] => [
          toolName(one.server, one.tool.name),
          { server, known: one },
        ]);
      }),
    );
    return new Map(targets.flat());
  }

  /** The same tool as its server describes it now, if it still has it. */
  async #current({ server, known }: McpTarget, { port }: ToolContext) {
    const now = await server.list(port.signal);
    const found = now.find(({ tool }) => tool.name === known.tool.name);
    return found && { server, known: found };
  }
}
