/**
 * The host's connection to one configured server.
 *
 * A call that the model makes carries the sandbox that applies to it when it is
 * written, and goes to no server that does not ask for one. Every other call
 * carries none. The connection is opened by the first call, and again by the next
 * call after it broke; what was under way is never sent again.
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { PolicyError } from "../../policy/index.ts";
import { McpError } from "../mcp-error.ts";
import type { Link, LinkOptions } from "./link.ts";
import { OutgoingCall } from "./outgoing-call.ts";
import { stripCallMeta } from "./strip-call-meta.ts";
import { toldWords } from "./told-words.ts";
import { type CallSandbox, writeCallMeta } from "./write-call-meta.ts";

/** A tool call as whoever makes it gives it. */
export interface ToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  /** In milliseconds; that of the server's configuration where it is absent. */
  readonly timeout?: number;
}

export class McpConnection {
  readonly #options: LinkOptions;
  readonly #over = new AbortController();
  #opening: Promise<Link> | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** The tools that the server has now. */
  async listTools(options: ToolCallOptions = {}): Promise<readonly Tool[]> {
    const what = `list the tools of MCP server "${this.#options.name}"`;
    const link = await this.#link(options.signal);
    return link.during(async () => {
      try {
        return await link.listTools(this.#limitsOf(options));
      } catch (error) {
        throw this.#failed(error, link, { what, sent: true, options });
      }
    });
  }

  /**
   * Calls a tool for the model. `sandbox` is asked when the request is written, after every wait;
   * where it throws, or what it says cannot be written, nothing is sent.
   */
  callForModel(
    call: ToolCall,
    sandbox: () => CallSandbox,
    options: ToolCallOptions = {},
  ): Promise<CallToolResult> {
    return this.#call(call, options, (meta, link) => {
      if (!link.wantsState) throw this.#notOptedIn();
      return this.#withState(meta, sandbox);
    });
  }

  /** Calls a tool for a client of this host. No sandbox goes with it: servers that need one refuse. */
  callForClient(call: ToolCall, options: ToolCallOptions = {}): Promise<CallToolResult> {
    return this.#call(call, options, stripCallMeta);
  }

  /** Ends the server if it was started here, with all that it holds; the next call opens another connection. */
  async hangUp(): Promise<void> {
    const link = await this.#opening?.catch(() => undefined);
    await link?.close();
  }

  /** Ends the connection, and the server if it was started here. */
  async close(): Promise<void> {
    this.#over.abort(this.#closed());
    await this.hangUp();
  }

  async #call(
    { name, arguments: given, meta }: ToolCall,
    options: ToolCallOptions,
    write: (meta: unknown, link: Link) => Record<string, unknown>,
  ): Promise<CallToolResult> {
    const own = stripCallMeta(meta);
    const link = await this.#link(options.signal);
    const call = new OutgoingCall((sent) => write(sent, link));
    const { timeout, signal } = this.#limitsOf(options);
    return link.during(async () => {
      try {
        return await link.callTool(
          { name, ...(given && { arguments: given }), _meta: call.mark(own) },
          { timeout, signal: AbortSignal.any([signal, call.lost]) },
        );
      } catch (error) {
        const what = `call tool "${name}" of MCP server "${this.#options.name}"`;
        throw this.#failed(error, link, { what, sent: call.sent, options });
      }
    });
  }

  #withState(meta: unknown, sandbox: () => CallSandbox): Record<string, unknown> {
    const { name, config } = this.#options;
    const reader = config.sandbox === "confine" ? "writ" : "anybody";
    try {
      return writeCallMeta(meta, sandbox(), reader);
    } catch (cause) {
      if (cause instanceof McpError) throw cause;
      const what = cause instanceof PolicyError ? cause.message : "its sandbox could not be told";
      const message = `Cannot call a tool of MCP server "${name}": ${what}`;
      throw new McpError("noState", message, { cause });
    }
  }

  /** The link there is, or a new one. Whoever comes while it is opened waits for the same. */
  async #link(signal: AbortSignal | undefined): Promise<Link> {
    const held = this.#opening;
    if (held !== undefined) {
      const link = await this.#unlessAborted(held, signal);
      if (!link.isOver) return link;
      this.#forget(held);
    }
    if (this.#over.signal.aborted) throw this.#closed();
    this.#opening ??= this.#open();
    return this.#unlessAborted(this.#opening, signal);
  }

  #open(): Promise<Link> {
    const opening = openLink(this.#options, this.#over.signal);
    opening.catch(() => this.#forget(opening));
    return opening;
  }

  #forget(opening: Promise<Link>): void {
    if (this.#opening === opening) this.#opening = undefined;
  }

  /** A caller that gives up leaves the connection to the others. */
  async #unlessAborted(opening: Promise<Link>, signal: AbortSignal | undefined): Promise<Link> {
    if (signal === undefined) return opening;
    const { promise, reject } = Promise.withResolvers<never>();
    const give = () => reject(this.#cancelled(signal));
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    try {
      return await Promise.race([promise, opening]);
    } finally {
      signal.removeEventListener("abort", give);
    }
  }

  #limitsOf({ signal, timeout = this.#options.config.toolTimeoutMs }: ToolCallOptions) {
    const over = this.#over.signal;
    return { timeout, signal: signal === undefined ? over : AbortSignal.any([signal, over]) };
  }

  #failed(
    error: unknown,
    link: Link,
    { what, sent, options }: { what: string; sent: boolean; options: ToolCallOptions },
  ): McpError {
    const cancelled = options.signal?.aborted === true;
    const told = (text: string) => toldWords(text, this.#options);
    return link.failed(error, { what, sent, cancelled, closed: this.#over.signal.aborted, told });
  }

  #notOptedIn(): McpError {
    return new McpError(
      "notOptedIn",
      `Cannot call a tool of MCP server "${this.#options.name}" for the model: it does not ask for the sandbox of its calls, expected a server that does, or sandbox = "confine"`,
    );
  }

  #cancelled({ reason }: AbortSignal): McpError {
    const message = `Cannot call MCP server "${this.#options.name}": it was cancelled before it was sent`;
    return new McpError("cancelled", message, { cause: reason });
  }

  #closed(): McpError {
    return new McpError(
      "closed",
      `Cannot call MCP server "${this.#options.name}": the connection was closed`,
    );
  }
}

/** The protocol itself is loaded with the first connection: most hosts start without any. */
async function openLink(options: LinkOptions, signal: AbortSignal): Promise<Link> {
  const link = await import("./link.ts");
  return link.openLink(options, signal);
}
