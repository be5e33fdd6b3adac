/**
 * The sandbox of one thread, as its agent uses it.
 *
 * Building one asks nothing of anybody: the first call that needs a sandbox
 * boots it, later ones and later turns reuse it, and one that died is replaced
 * before the next command. No object of a provider leaves this class.
 */
import type { SandboxIntent } from "../exec/index.ts";
import { type BackgroundProcess, BackgroundProcesses } from "./commands/background-processes.ts";
import type { CommandResult } from "./commands/command-result.ts";
import {
  type BackgroundCall,
  type CommandCall,
  SandboxCommands,
} from "./commands/sandbox-commands.ts";
import type { ProcessCall, StartedProcess } from "./commands/start-process.ts";
import { extendKeepalive, keepaliveBeat } from "./lifecycle/keepalive.ts";
import { LiveWork, type WorkCount } from "./lifecycle/live-work.ts";
import { SandboxCalls } from "./lifecycle/sandbox-calls.ts";
import { type AcquireRequest, SandboxHolder } from "./lifecycle/sandbox-holder.ts";
import type { SessionState } from "./lifecycle/session-state.ts";
import type { FilesChanged, FileToWrite } from "./provider/provided-sandbox.ts";
import { createWorkspace, type SandboxWorkspace } from "./sandbox-workspace.ts";
import { SYSTEM_CLOCK } from "./session-clock.ts";
import { SessionError } from "./session-error.ts";
import { readDuration, type SessionOptions } from "./session-options.ts";
import type { SessionReference } from "./session-reference.ts";
import { SandboxTools } from "./tools/sandbox-tools.ts";

/** A sandbox that is ready, by name. */
export interface AcquiredSession {
  readonly id: string;
  readonly generation: number;
}

/** Where a policy lies beside another one. */
export type IntentOrder = "within" | "around" | "neither";

/** Files to write as a whole and files to remove, in one call. */
export interface FilesChange {
  readonly by: string;
  readonly write: readonly Omit<FileToWrite, "mode">[];
  readonly remove: readonly string[];
  readonly signal: AbortSignal;
  /** Names of the caller for receipts. */
  readonly ids?: Readonly<Record<string, string>>;
}

export class ThreadSession {
  /** For code that needs commands and files of the sandbox and nothing else of it. */
  readonly workspace: SandboxWorkspace;
  /** For the model. */
  readonly tools: SandboxTools;
  readonly #holder: SandboxHolder;
  readonly #work: LiveWork;
  readonly #calls: SandboxCalls;
  readonly #background: BackgroundProcesses;
  readonly #commands: SandboxCommands;

  constructor(options: SessionOptions) {
    const { clock = SYSTEM_CLOCK, network } = options;
    const keepaliveMs = readDuration("keepaliveMs", options.keepaliveMs);
    const holder = new SandboxHolder(options, clock);
    const work = new LiveWork({
      clock,
      idleMs: readDuration("idleMs", options.idleMs),
      onQuiet: () => holder.quiet(),
      onIdle: () => void holder.endIdle(),
      beatMs: keepaliveBeat(keepaliveMs),
      onBeat: () => void this.#keepAlive(keepaliveMs),
    });
    const calls = new SandboxCalls({ holder, work, keepaliveMs });
    const background = new BackgroundProcesses((kind) => work.begin(kind));
    const commands = new SandboxCommands({ calls, holder, background, work, clock, network });
    this.#holder = holder;
    this.#work = work;
    this.#calls = calls;
    this.#background = background;
    this.#commands = commands;
    this.workspace = createWorkspace({ holder, calls, commands });
    this.tools = new SandboxTools({ holder, calls, commands, clock, skills: options.skills });
  }

  get state(): SessionState {
    return this.#holder.state;
  }

  /** Counts the sandboxes of the thread; 0 before the first. */
  get generation(): number {
    return this.#holder.generation;
  }

  /** Calls that wait or run, and processes in the background. */
  get liveWork(): WorkCount {
    return this.#work.count;
  }

  /** What the thread has: null where that is nothing, undefined where nobody ever said. */
  reference(): SessionReference | null | undefined {
    return this.#holder.reference;
  }

  /** From now on commands and files are under `intent`. A sandbox that allows less is replaced by the next call. */
  useIntent(intent: SandboxIntent): void {
    this.#holder.useIntent(intent);
  }

  /** Makes sure that there is a sandbox. Throws what keeping its reference throws, as it is. */
  async acquire(request: AcquireRequest): Promise<AcquiredSession> {
    return this.#calls.call(request, async ({ sandbox: { id }, generation }) => ({
      id,
      generation,
    }));
  }

  /** Whether an intent allows nothing that the one of now does not, or the other way round, as the machine says. */
  async compare(intent: SandboxIntent, signal: AbortSignal): Promise<IntentOrder> {
    return this.#calls.call({ by: "compare", signal }, async ({ sandbox, intent: base }) => {
      if (await sandbox.isWithin(intent, base)) return "within";
      return (await sandbox.isWithin(base, intent)) ? "around" : "neither";
    });
  }

  /** Runs a command and waits for it. */
  run(call: CommandCall): Promise<CommandResult> {
    return this.#commands.run(call);
  }

  /** Starts a process for whoever follows it; it counts as work until it ends, and ends with the sandbox. */
  start(call: ProcessCall): Promise<StartedProcess> {
    return this.#commands.start(call);
  }

  /** Writes all files or none, then removes; what was written stays where a removal fails. */
  changeFiles({ by, write, remove, signal, ids = {} }: FilesChange): Promise<FilesChanged> {
    return this.#calls.call({ by, signal }, async ({ sandbox, intent }) => {
      const under = { intent, signal, ids };
      let changed: FilesChanged = { receiptId: null };
      if (write.length > 0) changed = await sandbox.writeFiles(write, under);
      if (remove.length > 0) changed = await sandbox.remove(remove, under);
      return changed;
    });
  }

  /** Starts a command that goes on after the call; it counts as work until it ends. */
  startBackground(call: BackgroundCall): Promise<BackgroundProcess> {
    return this.#commands.startBackground(call);
  }

  /** Those that run, and those that ended lately. */
  background(): readonly BackgroundProcess[] {
    return this.#background.list();
  }

  readBackground(name: string): string {
    return this.#background.read(name);
  }

  killBackground(name: string): Promise<void> {
    return this.#background.kill(name);
  }

  /** Lets go without ending the sandbox, whose reference is kept for a later turn. */
  async release(): Promise<void> {
    this.#work.halt();
    await this.#holder.release();
  }

  /** Ends a boot in flight, all that runs, and the sandbox. May be called again. */
  async dispose(): Promise<void> {
    this.#work.close();
    await this.#holder.dispose();
  }

  async #keepAlive(keepaliveMs: number): Promise<void> {
    const held = this.#holder.peek();
    if (held === undefined || (await extendKeepalive(held.sandbox, keepaliveMs))) return;
    this.#holder.lose(held.generation, new SessionError("stopped", "stopped"));
  }
}
