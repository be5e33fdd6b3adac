/**
 * One MCP server as one thread has it.
 *
 * It is started by whoever first wants its tools. The thread remembers what was
 * said of each tool at first; a server that says something else later, or has
 * other tools, is known to have changed.
 */
import type { Tool } from "@modelcontextprotocol/client";
import { type LinkOptions, McpConnection, McpError } from "../../mcp/index.ts";
import { digestOfTool, type KnownTool } from "./judge-tool.ts";
import { allowsTool, approvalOf, type McpServerSettings } from "./mcp-server-settings.ts";

export type ServerState = "notStarted" | "starting" | "ready" | "failed" | "cancelled";

export interface ThreadServerOptions {
  readonly name: string;
  readonly settings: McpServerSettings;
  /** All but what this server sees to itself. */
  readonly link: Omit<LinkOptions, "name" | "config" | "toolsChanged">;
  /** Told of each change of state, with the reason where it failed. */
  readonly changed: (state: ServerState, error: string | null) => void;
}

const MOST_TOOLS = 512;
const MOST_CHARS = 1 << 20;

export class ThreadServer {
  readonly name: string;
  readonly connection: McpConnection;
  readonly #options: ThreadServerOptions;
  #state: ServerState = "notStarted";
  #error: string | null = null;
  #first: ReadonlyMap<string, string> | undefined;
  #known: readonly KnownTool[] = [];
  #stale = true;
  #isPassing = false;
  #listing: Promise<readonly KnownTool[]> = Promise.resolve([]);
  #listings = 0;

  constructor(options: ThreadServerOptions) {
    const { name, settings, link } = options;
    this.name = name;
    this.#options = options;
    this.connection = new McpConnection({
      ...link,
      name,
      config: settings,
      // A server that was started again may be another.
      executor: { start: (request) => this.#started(() => link.executor.start(request)) },
      confine: (config) => this.#started(() => link.confine(config)),
      toolsChanged: () => this.outdate(),
    });
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why it failed, in a sentence. */
  get error(): string | null {
    return this.#error;
  }

  /** The tools that were last listed. */
  get known(): readonly KnownTool[] {
    return this.#known;
  }

  allows(tool: string): boolean {
    return allowsTool(this.#options.settings, tool);
  }

  /** Whether what is known of its tools may no longer be so. */
  get isStale(): boolean {
    return this.#stale;
  }

  /**
   * Its tools now, listed again where they may be others. A server that fails has none. A caller that
   * gives up, and began the list that others wait for, leaves it to them to begin another.
   */
  async list(signal: AbortSignal): Promise<readonly KnownTool[]> {
    if (this.#stale) {
      this.#stale = false;
      this.#listing = this.#list(signal);
    }
    const known = await this.#listing;
    return this.#state === "cancelled" && !signal.aborted ? this.list(signal) : known;
  }

  /** Has its tools listed again before they are used. */
  outdate(): void {
    this.#stale = true;
  }

  /** It is called with something that was granted for this turn alone. */
  passWithTurn(): void {
    this.#isPassing = true;
  }

  /** Ends it where it had what was granted for the turn: it keeps the sandbox of its last call. */
  async endTurn(): Promise<void> {
    this.outdate();
    if (!this.#isPassing) return;
    this.#isPassing = false;
    await this.connection.hangUp();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #list(signal: AbortSignal): Promise<readonly KnownTool[]> {
    if (this.#state !== "ready") this.#become("starting");
    this.#listings += 1;
    try {
      this.#known = this.#compare(await this.connection.listTools({ signal }));
      this.#become("ready");
    } catch (error) {
      this.#known = [];
      // Unless its caller gave up it is not tried again before the next turn: a try may take long.
      this.#stale = signal.aborted;
      const message = error instanceof Error ? error.message : String(error);
      this.#become(signal.aborted ? "cancelled" : "failed", message);
    } finally {
      this.#listings -= 1;
    }
    return this.#known;
  }

  /** What is listed while it starts is what the new one has. */
  #started<T>(start: () => T): T {
    if (this.#listings === 0) this.#stale = true;
    return start();
  }

  #compare(tools: readonly Tool[]): readonly KnownTool[] {
    const digests = digestsOf(tools, this.name);
    this.#first ??= digests;
    const first = this.#first;
    return tools
      .filter(({ name }) => this.allows(name))
      .map((tool) => {
        const digest = digests.get(tool.name) ?? "";
        const changed = first.get(tool.name) !== digest;
        const approval = approvalOf(this.#options.settings, tool.name);
        return { server: this.name, tool, digest, changed, approval };
      });
  }

  #become(state: ServerState, error: string | null = null): void {
    this.#error = error;
    if (this.#state === state) return;
    this.#state = state;
    this.#options.changed(state, error);
  }
}

/** Refuses a list that no thread could work with: it would be told to the model with every request. */
function digestsOf(tools: readonly Tool[], server: string): ReadonlyMap<string, string> {
  const digests = new Map(tools.map((tool) => [tool.name, digestOfTool(tool)]));
  const problem = problemOf(tools, digests.size);
  if (problem === undefined) return digests;
  throw new McpError("badAnswer", `Cannot use the tools of MCP server "${server}": ${problem}`);
}

function problemOf(tools: readonly Tool[], names: number): string | undefined {
  if (names < tools.length) return "two have the same name, expected one of each name";
  if (tools.length > MOST_TOOLS) return `there are ${tools.length}, expected at most ${MOST_TOOLS}`;
  const length = JSON.stringify(tools).length;
  if (length <= MOST_CHARS) return undefined;
  return `their descriptions have ${length} characters, expected at most ${MOST_CHARS}`;
}
