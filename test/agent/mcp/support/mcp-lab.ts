/** A thread with MCP servers that say what a test tells them, line by line. */
import type { Tool } from "@modelcontextprotocol/client";
import type { TurnFrame } from "../../../../src/agent/agent.ts";
import type { ApprovalQuestion } from "../../../../src/agent/approval.ts";
import {
  createMcpTools,
  type McpStartup,
  type McpTools,
} from "../../../../src/agent/mcp/create-mcp-tools.ts";
import type { McpServerSettings } from "../../../../src/agent/mcp/mcp-server-settings.ts";
import type { ToolContext, Verdict } from "../../../../src/agent/tools/tool.ts";
import type { TurnEvent } from "../../../../src/agent/turn-event.ts";
import { createProcessTransport } from "../../../../src/mcp/index.ts";
import {
  policyForMode,
  profileOfPolicy,
  type SandboxMode,
  uriOfNative,
} from "../../../../src/policy/index.ts";
import { ASKING, DONE, type Message, reply, STDIO } from "../../../mcp/host/support/raw-server.ts";
import { ScriptedProcess } from "../../../mcp/process/support/scripted-process.ts";
import { UNASKED } from "../../support/granting.ts";

/** A server that lists and does what its members say, each time it is asked. */
export class LabServer {
  tools: readonly Tool[] = [tool("look", { readOnlyHint: true })];
  capabilities: unknown = { ...ASKING, tools: { listChanged: true } };
  result: object = DONE;
  /** What happens before it says what it has. */
  onList: () => unknown = () => {};
  /** What happens before a call is answered. */
  onCall: (process: ScriptedProcess, message: Message) => unknown = () => {};
  starts = 0;
  lists = 0;
  process: ScriptedProcess | undefined;
  readonly calls: (Message["params"] & object)[] = [];

  async start(): Promise<ScriptedProcess> {
    const process = new ScriptedProcess();
    this.starts += 1;
    this.process = process;
    process.onLine = (line) => void this.#answer(process, JSON.parse(line));
    return process;
  }

  /** Tells the host that there are other tools, and waits until it knows. */
  async changeTools(tools: readonly Tool[]): Promise<void> {
    this.tools = tools;
    const method = "notifications/tools/list_changed";
    this.process?.say(`${JSON.stringify({ jsonrpc: "2.0", method })}\n`);
    await settle();
  }

  async #answer(process: ScriptedProcess, message: Message): Promise<void> {
    switch (message.method) {
      case "server/discover": {
        const error = { code: -32601, message: "no" };
        process.say(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, error })}\n`);
        break;
      }
      case "initialize":
        reply(process, message, {
          protocolVersion: "2025-06-18",
          capabilities: this.capabilities,
          serverInfo: { name: "lab", version: "1" },
        });
        break;
      case "tools/list":
        this.lists += 1;
        await this.onList();
        reply(process, message, { tools: this.tools });
        break;
      case "tools/call":
        this.calls.push(message.params ?? {});
        await this.onCall(process, message);
        reply(process, message, this.result);
        break;
    }
  }
}

export function tool(name: string, annotations?: Tool["annotations"]): Tool {
  return { name, inputSchema: { type: "object" }, ...(annotations && { annotations }) };
}

/** Lets everything that can happen happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((tick) => setImmediate(tick));
}

export class McpLab {
  readonly servers: Readonly<Record<string, LabServer>>;
  readonly tools: McpTools;
  readonly thread: ReturnType<McpTools["openThread"]>;
  readonly startups: McpStartup[] = [];
  readonly events: TurnEvent[] = [];
  readonly questions: ApprovalQuestion[] = [];
  readonly confined: string[] = [];
  verdict: Verdict = "accepted";
  onAsk: () => unknown = () => {};
  readonly stop = new AbortController();
  #calls = 0;

  constructor(settings: Readonly<Record<string, Partial<McpServerSettings>>> = { lab: {} }) {
    const names = Object.keys(settings);
    const servers = Object.fromEntries(names.map((name) => [name, new LabServer()]));
    this.servers = servers;
    this.tools = createMcpTools({
      servers: new Map(
        names.map((name) => [
          name,
          { ...STDIO, enabled: true, command: name, ...settings[name] } as McpServerSettings,
        ]),
      ),
      executor: { start: ({ argv: [name = ""] }) => this.server(name).start() },
      confine: async (name) => {
        this.confined.push(name);
        const process = await this.server(name).start();
        const over = process.receipt;
        return { ...createProcessTransport(process, { stderr: () => {} }), over, receiptId: null };
      },
      client: { name: "writ", version: "0.0.0" },
      cwd: uriOfNative("/srv/ws"),
      env: {},
      startup: (update) => this.startups.push(update),
    });
    this.thread = this.tools.openThread("thread-1");
  }

  server(name = "lab"): LabServer {
    const server = this.servers[name];
    if (server === undefined) throw new Error(`there is no server ${name}`);
    return server;
  }

  context(more: Partial<TurnFrame> = {}): ToolContext {
    return {
      thread: "thread-1",
      turn: "turn-1",
      frame: { ...frameIn("workspace-write"), ...more },
      isPassing: false,
      port: {
        signal: this.stop.signal,
        emit: (...events) => void this.events.push(...events),
        approve: () => Promise.reject(new Error("questions go through ask")),
        ...UNASKED,
        callClient: () => Promise.reject(new Error("nobody follows the thread")),
        takeSteered: () => [],
      },
      now: () => 1000,
      ask: async (question) => {
        this.questions.push(question);
        await this.onAsk();
        return this.verdict;
      },
    };
  }

  /** Lists the tools as the loop does before each request, and calls one. */
  async call(name: string, { input = "{}", frame = {} as Partial<TurnFrame> } = {}) {
    const context = this.context(frame);
    await this.thread.declarations(context);
    return this.run(name, input, context);
  }

  async run(name: string, input = "{}", context = this.context()) {
    this.#calls += 1;
    return this.thread.run({ callId: `call_${this.#calls}`, name, input }, context);
  }
}

export function frameIn(mode: SandboxMode): TurnFrame {
  return {
    profile: profileOfPolicy(policyForMode(mode)),
    cwd: uriOfNative("/srv/ws"),
    workspaceRoots: [uriOfNative("/srv/ws")],
    era: 0,
    granted: [],
    approval: "on-request",
    model: { provider: "writ", model: "offline", effort: null },
    instructions: null,
    environment: "local",
    clientTools: [],
  };
}
