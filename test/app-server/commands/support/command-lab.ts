/** The handlers over an executor whose processes a test writes, with time that a test makes pass. */

import type {
  CommandConnection,
  OutputDelta,
} from "../../../../src/app-server/commands/command-connection.ts";
import { commandHandlers } from "../../../../src/app-server/commands/command-handlers.ts";
import type { CommandPolicyAsk } from "../../../../src/app-server/commands/command-policies.ts";
import type { CommandResult } from "../../../../src/app-server/commands/running-command.ts";
import { commandMethods } from "../../../../src/app-server/protocol/command-methods.ts";
import type { Executor, StartRequest } from "../../../../src/exec/index.ts";
import {
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
} from "../../../../src/policy/index.ts";
import {
  ScriptedProcess,
  scriptedExecutor,
} from "../../../session/provider/support/scripted-executor.ts";
import { FakeClock } from "../../../session/support/fake-clock.ts";

/** Terminating it says whether it still ran, as a real one does. */
export class CommandProcess extends ScriptedProcess {
  readonly written: string[] = [];
  readonly sizes: unknown[] = [];
  takesInput = true;
  isInputClosed = false;
  #isOver = false;

  override write = async (bytes?: Uint8Array) => {
    if (!this.takesInput) return false;
    this.written.push(Buffer.from(bytes ?? []).toString());
    return true;
  };
  override closeInput = async () => {
    this.isInputClosed = true;
  };
  override resize = async (size?: unknown) => void this.sizes.push(size);

  printTo(stream: "stdout" | "stderr" | "pty", text: string): void {
    this.tell({ kind: "output", stream, chunk: Buffer.from(text) });
  }

  override exit(exitCode: number): void {
    this.#isOver = true;
    super.exit(exitCode);
  }

  /** Exits, and leaves something behind that holds its streams. */
  exitHeld(exitCode: number): void {
    this.#isOver = true;
    this.tell({ kind: "exited", exit: { exitCode, sandboxDenied: false } });
  }

  override async terminate(): Promise<boolean> {
    const wasRunning = !this.#isOver;
    if (wasRunning) this.exit(this.endsWith);
    else if (!this.isTerminated) this.tell({ kind: "closed" });
    this.isTerminated = true;
    return wasRunning;
  }

  /** What it exits with when it is ended. */
  endsWith = 137;
}

export class CommandLab {
  readonly clock = new FakeClock();
  readonly requests: StartRequest[] = [];
  readonly processes: CommandProcess[] = [];
  readonly asks: CommandPolicyAsk[] = [];
  readonly told: OutputDelta[] = [];
  readonly closing = new AbortController();
  readonly cancelling = new AbortController();
  readonly connection: CommandConnection = this.connect();
  readonly handlers;
  /** Thrown instead of starting anything. */
  fault: Error | undefined;
  /** Thrown instead of telling the client. */
  deaf: Error | undefined;
  profile: PermissionProfile = profileOfPolicy(policyForMode("workspace-write"));
  /** Waited for by whoever asks for a policy, and by every start. */
  gate: Promise<void> = Promise.resolve();
  startGate: Promise<void> = Promise.resolve();

  constructor() {
    this.handlers = commandHandlers({
      variables: { PAGER: "less", Plain: "kept" },
      executor: this.#executor(),
      policies: {
        forCommand: async (ask) => {
          this.asks.push(ask);
          await this.gate;
          return { profile: this.profile, workspaceRoots: [ask.cwd] };
        },
      },
      cwd: "/srv/server",
      clock: this.clock,
    });
  }

  /** A further connection of the same server. */
  connect(): CommandConnection {
    return {
      closed: this.closing.signal,
      notifyOutput: async (delta) => {
        if (this.deaf !== undefined) throw this.deaf;
        this.told.push(delta);
      },
    };
  }

  async exec(params: object, connection = this.connection): Promise<CommandResult> {
    const read = commandMethods.exec.params.parse({ command: ["true"], ...params });
    return this.handlers.exec(read, connection, this.#call("command/exec"));
  }

  /** Starts one and gives its process. */
  async begin(params: object) {
    const result = this.exec(params);
    result.catch(() => {});
    await this.clock.pass(0);
    const process = this.processes.at(-1);
    if (process === undefined) throw new Error("nothing was started");
    return { result, process };
  }

  async write(params: object, connection = this.connection): Promise<unknown> {
    const read = commandMethods.execWrite.params.parse(params);
    return this.handlers.execWrite(read, connection, this.#call("command/exec/write"));
  }

  async resize(params: object): Promise<unknown> {
    const read = commandMethods.execResize.params.parse(params);
    return this.handlers.execResize(read, this.connection, this.#call("command/exec/resize"));
  }

  async terminate(processId: string, connection = this.connection): Promise<unknown> {
    const call = this.#call("command/exec/terminate");
    return this.handlers.execTerminate({ processId }, connection, call);
  }

  #call(method: string) {
    return { method, signal: this.cancelling.signal };
  }

  #executor(): Executor {
    const { files } = scriptedExecutor({ anchors: false });
    return { start: (one) => this.#start(one), files, anchors: undefined, close: async () => {} };
  }

  async #start(request: StartRequest) {
    this.requests.push(request);
    if (this.fault !== undefined) throw this.fault;
    await this.startGate;
    const process = new CommandProcess(request.processId);
    this.processes.push(process);
    return process;
  }
}
