/**
 * Servers that say what a test tells them, line by line, over a fake executor.
 *
 * Nothing of the SDK is in them, so that they can also say what no SDK would.
 */
import type { RunningProcess, StartRequest } from "../../../../src/exec/index.ts";
import type { LinkOptions } from "../../../../src/mcp/host/link.ts";
import { McpConnection } from "../../../../src/mcp/host/mcp-connection.ts";
import type { StdioServer } from "../../../../src/mcp/host/server-config.ts";
import { createProcessTransport } from "../../../../src/mcp/process/process-transport.ts";
import { uriOfNative } from "../../../../src/policy/index.ts";
import { ScriptedProcess } from "../../process/support/scripted-process.ts";

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What a server does, each time it is started. */
export interface Script {
  /** Whether it leaves by itself at the end of its input; it does where this is absent. */
  readonly polite?: boolean;
  readonly capabilities?: unknown;
  /** What it answers when it is asked for its tools. */
  readonly tools?: unknown;
  /** What it does when it is asked for its era; it says that it does not know the word where this is absent. */
  readonly discover?: (process: ScriptedProcess, message: Message) => void;
  /** What it does with a call; it answers `done` where this is absent. */
  readonly call?: (process: ScriptedProcess, message: Message) => void;
}

export const DONE = { content: [{ type: "text", text: "done" }] };
export const TOOLS = { tools: [{ name: "look", inputSchema: { type: "object" } }] };
/** The capabilities of a server that asks for the state. */
export const ASKING = { tools: {}, experimental: { "codex/sandbox-state-meta": {} } };

export const STDIO: StdioServer = {
  kind: "stdio",
  command: "server",
  args: ["--flag"],
  env: { LEVEL: "1" },
  sandbox: "inherit",
  startupTimeoutMs: 30_000,
  toolTimeoutMs: 30_000,
};

/** A host of one server whose script may differ from start to start. */
export class RawHost {
  readonly requests: StartRequest[] = [];
  readonly confined: StdioServer[] = [];
  readonly processes: ScriptedProcess[] = [];
  /** Everything that any of its servers was sent. */
  readonly received: Message[] = [];
  readonly connection: McpConnection;
  toolsChanged = 0;
  /** What is on record of each of its servers. */
  receiptId: string | null = null;
  #started = 0;
  /** Settles before a server is started. */
  gate: Promise<unknown> = Promise.resolve();

  constructor(scripts: readonly Script[], more: Partial<LinkOptions> = {}) {
    this.connection = new McpConnection({
      ...optionsFor(STDIO),
      executor: {
        start: (request) => {
          this.requests.push(request);
          return this.#start(scripts);
        },
      },
      confine: async (config) => {
        this.confined.push(config);
        const process = await this.#start(scripts);
        const over = process.receipt;
        return { ...createProcessTransport(process, { stderr: () => {} }), over, receiptId: null };
      },
      toolsChanged: () => {
        this.toolsChanged += 1;
      },
      ...more,
    });
  }

  /** The calls that reached a server. */
  get calls(): Message[] {
    return this.received.filter(({ method }) => method === "tools/call");
  }

  /** Ends a server that was started, and settles when its host knows. */
  async kill(index: number): Promise<void> {
    const process = this.processes[index];
    process?.exit(1);
    // Once by the transport, for what the process left behind, and once by the host.
    const ended = () => process?.done.filter((what) => what === "terminate").length === 2;
    while (!ended()) await new Promise((tick) => setImmediate(tick));
  }

  async #start(scripts: readonly Script[]): Promise<RunningProcess> {
    const script = scripts[Math.min(this.#started, scripts.length - 1)];
    this.#started += 1;
    await this.gate;
    const process = new ScriptedProcess();
    process.polite = script?.polite ?? true;
    process.receiptId = this.receiptId;
    this.processes.push(process);
    process.onLine = (line) => {
      const message: Message = JSON.parse(line);
      this.received.push(message);
      answer(process, message, script ?? {});
    };
    return process;
  }
}

/** Everything a connection needs, for a server that is never reached unless a test says how. */
export function optionsFor(config: LinkOptions["config"]): LinkOptions {
  return {
    name: "tested",
    config,
    client: { name: "writ", version: "0.0.0" },
    cwd: uriOfNative("/srv/ws"),
    env: {},
    executor: { start: () => Promise.reject(new Error("no program is to be started")) },
    confine: () => Promise.reject(new Error("nothing is to be confined")),
    stderr: () => {},
    toolsChanged: () => {},
  };
}

export function reply(process: ScriptedProcess, { id }: Message, result: unknown): void {
  process.say(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

export function fail(process: ScriptedProcess, { id }: Message, code: number): void {
  process.say(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: "no" } })}\n`);
}

function answer(process: ScriptedProcess, message: Message, script: Script): void {
  switch (message.method) {
    case "server/discover":
      if (script.discover === undefined) fail(process, message, -32601);
      else script.discover(process, message);
      break;
    case "initialize":
      reply(process, message, {
        protocolVersion: "2025-06-18",
        capabilities: script.capabilities ?? ASKING,
        serverInfo: { name: "raw", version: "1" },
      });
      break;
    case "tools/list":
      reply(process, message, script.tools ?? TOOLS);
      break;
    case "tools/call":
      if (script.call === undefined) reply(process, message, DONE);
      else script.call(process, message);
      break;
  }
}
