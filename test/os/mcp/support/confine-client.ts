/** A client of the real `writ confine`, and a look at what it leaves behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Place, placeFor, type SandboxUser } from "../../support/sandbox-user.ts";
import { writePlainServer } from "./plain-server.ts";

export interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly meta?: object;
}

export class ConfineClient {
  readonly place: Place;
  readonly child: ChildProcess;
  /** Settles with the exit status, or the signal that ended it. */
  readonly exit: Promise<number | string | null>;
  stderr = "";
  readonly #mark: string;
  readonly #waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  #ids = 0;
  #held = "";

  constructor(user: SandboxUser, flags: readonly string[] = [], env: object = {}) {
    this.place = placeFor(user);
    this.#mark = randomUUID();
    const server = writePlainServer(this.place.outside);
    const node = path.join(this.place.installed, "node_modules/.bin/node");
    this.place.give();
    const argv = this.place.argv(["confine", ...flags, "--", node, server, this.#mark]);
    const [program = "", ...args] = argv;
    this.child = spawn(program, args, {
      cwd: this.place.workspace,
      env: { ...this.place.env, ...env },
      stdio: "pipe",
    });
    this.exit = new Promise((resolve) => {
      this.child.on("close", (status, signal) => resolve(status ?? signal));
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.child.stdin?.on("error", () => {});
    onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  notify(method: string): void {
    this.#write({ method });
  }

  ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    this.#ids += 1;
    const id = this.#ids;
    const answer = new Promise<Record<string, unknown>>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    this.#write({ id, method, params });
    return answer;
  }

  async greet(): Promise<Record<string, unknown>> {
    const clientInfo = { name: "test", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const answer = await this.ask("initialize", params);
    this.notify("notifications/initialized");
    return answer;
  }

  /** What a tool answered, or an error of the protocol as text. */
  async call(name: string, args: object, state?: object): Promise<ToolAnswer> {
    const _meta = state && { "codex/sandbox-state-meta": state, progressToken: 7 };
    const answer = await this.ask("tools/call", { name, arguments: args, ...(_meta && { _meta }) });
    return answer.result as ToolAnswer;
  }

  /** The first text of what a tool answered. */
  async text(name: string, args: object, state?: object): Promise<string> {
    return (await this.call(name, args, state)).content[0]?.text ?? "";
  }

  /** The processes of the server, and what it started. */
  left(): number[] {
    const own = [this.child.pid, process.pid];
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return all.map(Number).filter((pid) => !own.includes(pid) && this.#isServer(pid));
  }

  /** Those of the server that run the server itself. */
  #isServer(pid: number): boolean {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.some((word) => word.includes(this.#mark)) && !words.includes("confine");
    } catch {
      return false;
    }
  }

  #write(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #read(text: string): void {
    const lines = `${this.#held}${text}`.split("\n");
    this.#held = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
  }
}
