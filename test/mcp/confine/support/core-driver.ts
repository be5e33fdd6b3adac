import type { SandboxIntent } from "../../../../src/exec/index.ts";
import { ConfineCore } from "../../../../src/mcp/confine/confine-core.ts";
import type { Action } from "../../../../src/mcp/confine/confine-rules.ts";
import { intentOfState } from "../../../../src/mcp/index.ts";
import {
  profileDigest,
  readSandboxState,
  type SandboxState,
} from "../../../../src/policy/index.ts";
import { RECEPTION } from "./states.ts";

/** A core whose processes start and end at once, unless a test says otherwise. */
export class CoreDriver {
  readonly core: ConfineCore;
  /** What the client got. */
  readonly client: string[] = [];
  /** What each generation got. */
  readonly servers = new Map<number, string[]>();
  readonly noise: string[] = [];
  /** The starts and ends, in order. */
  readonly done: string[] = [];
  /** When false, a test says itself what becomes of starts and ends. */
  automatic = true;
  /** What is on record of each process. */
  receiptId: string | null = null;
  /** What tells states apart. */
  keyOf = (state: SandboxState): string => profileDigest(state.profile);
  generation = 0;

  constructor(mode: "inherit" | "explicit" = "inherit") {
    const bind = (state: SandboxState) => {
      const intent = intentOfState(state, "asSent");
      return { kind: "bound" as const, intent, key: this.keyOf(state) };
    };
    this.core = new ConfineCore({
      bind: mode === "inherit" ? bind : undefined,
      rest: () => bind(readSandboxState(RECEPTION)),
    });
  }

  /** One message of the client, or a line as it is. */
  say(message: object | string): void {
    const text = typeof message === "string" ? message : write(message);
    this.run(this.core.client({ kind: "text", text }));
  }

  /** One message of the living process, or a line as it is. */
  reply(message: object | string, generation = this.generation): void {
    const text = typeof message === "string" ? message : write(message);
    this.run(this.core.server(generation, { kind: "text", text }));
  }

  run(actions: readonly Action[]): void {
    for (const action of actions) this.#act(action);
  }

  /** What the client got since it was asked last, read. */
  got(): Record<string, unknown>[] {
    return this.client.splice(0).map((text) => JSON.parse(text));
  }

  /** What a generation got since, read. */
  seen(generation = this.generation): Record<string, unknown>[] {
    return (this.servers.get(generation) ?? []).splice(0).map((text) => JSON.parse(text));
  }

  /** Greets as a client does, and has the server answer. */
  greet(result: object = { capabilities: { tools: {} } }): void {
    const params = { protocolVersion: "2025-06-18", capabilities: { roots: {} } };
    this.say({ id: "hello", method: "initialize", params });
    this.reply({ id: "hello", result });
    this.say({ method: "notifications/initialized" });
    this.got();
    this.seen();
  }

  #act(action: Action): void {
    switch (action.kind) {
      case "toClient":
        this.client.push(action.text);
        break;
      case "toServer":
        this.servers.get(this.generation)?.push(action.text);
        break;
      case "noise":
        this.noise.push(action.text);
        break;
      case "start":
        this.generation = action.generation;
        this.servers.set(action.generation, []);
        this.done.push(`start ${action.generation} ${nameOf(action.intent)}`);
        if (this.automatic) this.run(this.core.started(action.generation, this.receiptId));
        break;
      case "end":
        this.done.push(`end ${action.generation}`);
        if (this.automatic) this.run(this.core.gone(action.generation));
    }
  }
}

function write(message: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** The places an intent opens for writing, or `reception`. */
function nameOf(intent: SandboxIntent): string {
  if (intent.kind === "waived") return "waived";
  const { profile } = intent.context;
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return profile.type;
  const open = profile.fileSystem.entries.filter(({ access }) => access === "write");
  if (open.length === 0) return "reception";
  return open
    .map((entry) => ("path" in entry.target ? entry.target.path.replace("file://", "") : ""))
    .join();
}
