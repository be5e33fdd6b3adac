/**
 * One connection to a server, from its handshake to its end.
 *
 * What the server can do is what it said on this connection; nothing is carried
 * over to the next one.
 */
import {
  type CallToolRequest,
  type CallToolResult,
  Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Tool,
} from "@modelcontextprotocol/client";
import { McpError } from "../mcp-error.ts";
import { advertises } from "../state/advertise.ts";
import { receiptMeta, receiptOfResult } from "../state/receipt-of-result.ts";
import { breaksLink, callFailure, type FailedRequest } from "./call-failure.ts";
import { openTransport, type ServerAccess } from "./open-transport.ts";
import { toldWords } from "./told-words.ts";

export interface LinkOptions extends ServerAccess {
  /** What this host calls itself. */
  readonly client: { readonly name: string; readonly version: string };
  /** The server has other tools than before. */
  readonly toolsChanged: () => void;
}

export class Link {
  readonly #client: Client;
  readonly #receiptId: string | null;
  #inputs: ReadonlyMap<string, Tool["inputSchema"]> = new Map();
  #over = false;
  #calls = 0;

  constructor(client: Client, receiptId: string | null) {
    this.#client = client;
    this.#receiptId = receiptId;
    client.onclose = () => {
      this.#over = true;
    };
  }

  /** Whether a new call needs another link. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Whether the server asks for the sandbox of each call. */
  get wantsState(): boolean {
    return advertises(this.#client.getServerCapabilities());
  }

  /** The tools of the server, all pages of them. */
  async listTools(options: RequestOptions): Promise<readonly Tool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const { tools } = await this.#client.listTools(undefined, { ...options, cacheMode: "refresh" });
    this.#inputs = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    return tools;
  }

  /**
   * Calls a tool, and sends it once.
   *
   * The SDK is given the tool as it was last listed, so that it does not look it up and try
   * again, and without the schema of its answers: that is the server's own word, which proves
   * nothing of them, and whose patterns would run here.
   */
  async callTool(
    params: CallToolRequest["params"],
    options: RequestOptions,
  ): Promise<CallToolResult> {
    const { name } = params;
    const inputSchema = this.#inputs.get(name) ?? { type: "object" };
    const toolDefinition = { name, inputSchema };
    const result = await this.#client.callTool(params, { ...options, toolDefinition });
    return this.#onRecord(result);
  }

  /** A server that names no receipt of the call has one of its own process, which says under what it runs. */
  #onRecord(result: CallToolResult): CallToolResult {
    if (this.#receiptId === null || receiptOfResult(result) !== null) return result;
    return { ...result, _meta: { ...result._meta, ...receiptMeta(this.#receiptId) } };
  }

  /** Runs one call; a link that broke meanwhile ends with the last of them. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await call();
    } finally {
      this.#calls -= 1;
      if (this.#over && this.#calls === 0) void this.close();
    }
  }

  /** What became of a call that failed. Where the link is of no more use after it, it takes no new ones. */
  failed(error: unknown, request: FailedRequest): McpError {
    if (breaksLink(error)) this.#over = true;
    return callFailure(error, request);
  }

  async close(): Promise<void> {
    this.#over = true;
    await this.#client.close().catch(() => {});
  }
}

/** Connects, in whichever era the server speaks. Throws {@link McpError}. */
export async function openLink(options: LinkOptions, signal: AbortSignal): Promise<Link> {
  try {
    return await connect(options, signal, "either");
  } catch (error) {
    if (!endedOverProbe(error, options)) throw unreachable(error, options);
  }
  try {
    return await connect(options, signal, "legacy");
  } catch (error) {
    throw unreachable(error, options);
  }
}

/** Servers of some older kits leave at a request that comes before `initialize`. */
function endedOverProbe(error: unknown, { config }: LinkOptions): boolean {
  return (
    config.kind === "stdio" &&
    error instanceof SdkError &&
    error.code === SdkErrorCode.EraNegotiationFailed
  );
}

async function connect(options: LinkOptions, signal: AbortSignal, era: "either" | "legacy") {
  signal.throwIfAborted();
  const transport = await openTransport(options);
  const client = createClient(options);
  const link = new Link(client, transport.receiptId);
  const end = () => void transport.close();
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    await client.connect(transport, {
      timeout: options.config.startupTimeoutMs,
      signal,
      ...(era === "legacy" && { prior: { kind: "legacy" } }),
    });
    return link;
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function createClient({ client, config, toolsChanged }: LinkOptions): Client {
  return new Client(client, {
    versionNegotiation: {
      mode: "auto",
      // A server that says nothing must have time left for the older handshake.
      probe: { timeoutMs: Math.ceil(config.startupTimeoutMs / 2) },
    },
    // Answered here it would be another call, which nobody asked for.
    inputRequired: { autoFulfill: false },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => toolsChanged() } },
  });
}

function unreachable(error: unknown, options: LinkOptions): McpError {
  if (error instanceof McpError) return error;
  const what = toldWords(error instanceof Error ? error.message : String(error), options);
  return new McpError("unreachable", `Cannot reach MCP server "${options.name}": ${what}`, {
    cause: error,
  });
}
