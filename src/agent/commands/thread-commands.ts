/**
 * The processes of one thread: started here, ended here.
 *
 * A command that outlives its call has a number by which the model finds it
 * again. All of them end with the thread.
 */
import { randomUUID } from "node:crypto";
import type { Executor, RunningProcess, StartRequest } from "../../exec/index.ts";
import { nativeOfUri, type PathUri } from "../../policy/index.ts";
import type { AgentClock } from "../agent-clock.ts";
import { sandboxName } from "../approvals/approval-rules.ts";
import { inTime } from "../in-time.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { intentOf, waivedIntent } from "../sandbox/intent-of.ts";
import { placeBehind, refuseTurned } from "../sandbox/place-behind.ts";
import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { TurnFrame } from "../turn-frame.ts";
import type { CommandExecution } from "../turn-item.ts";
import { KeptCommands, type ThreadProcess } from "./kept-commands.ts";
import { RunningCommand } from "./running-command.ts";

export interface ThreadCommandsParts {
  readonly thread: string;
  readonly sandbox: ThreadSandbox;
  readonly variables: CommandVariables;
  readonly clock: AgentClock;
  /** Whether what was launched under a sandbox of this name may not outlive its turn. */
  readonly isPassing: (sandbox: string) => boolean;
}

/** Which variables commands of an environment get. */
export type CommandVariables = (environment: string) => Pick<StartRequest, "envPolicy" | "env">;

export interface Launch {
  /** Started, and told so. */
  readonly item: CommandExecution;
  readonly cwd: PathUri;
  readonly hasTerminal: boolean;
  /** Why it runs without a sandbox, where a person allowed that; null where it is confined. */
  readonly waivedFor: string | null;
}

interface Begun {
  readonly process: RunningProcess;
  readonly machine: Executor;
  /** What the model has to know of where it runs. */
  readonly notice: string | null;
}

/** The sandbox of what a person let out. */
const NO_SANDBOX = "nothing";
const STOPPED = "Ended: the turn was stopped";
const PASSED = "Ended with its turn: what it ran with was granted for that alone";
const BY_USER = "Ended by the user";
const SIZE = { columns: 80, rows: 24 };
const LONGEST_WAIT_MS = 30_000;

export class ThreadCommands {
  readonly #parts: ThreadCommandsParts;
  readonly #kept = new KeptCommands();
  readonly #running = new Set<RunningCommand>();
  readonly #starts = new Map<Promise<unknown>, CommandExecution["source"]>();
  #isClosed = false;

  constructor(parts: ThreadCommandsParts) {
    this.#parts = parts;
  }

  /** Where a folder really is. Throws what came in the way. */
  async placeBehind(folder: PathUri, frame: TurnFrame): Promise<PathUri> {
    const { files } = await this.#parts.sandbox.executorFor(frame);
    return placeBehind(folder, files);
  }

  /** Starts a command. Throws a sentence where nothing was started. */
  launch(launch: Launch, context: ToolContext): Promise<RunningCommand | typeof ABORTED> {
    const starting = this.#start(launch, context);
    this.#starts.set(starting, launch.item.source);
    starting.finally(() => this.#starts.delete(starting)).catch(() => {});
    return orAborted(starting, context.port.signal);
  }

  /** Waits for the end of a command, but no longer than is said; one whose turn is stopped is ended. */
  async wait(
    command: RunningCommand,
    waitMs: number | null,
    { port }: ToolContext,
  ): Promise<"over" | "running" | "aborted"> {
    const { promise, resolve } = Promise.withResolvers<"running">();
    const wakes = Math.min(waitMs ?? 0, LONGEST_WAIT_MS);
    const cancel =
      waitMs === null ? () => {} : this.#parts.clock.after(wakes, () => resolve("running"));
    const over = command.over.then(() => "over" as const);
    const first = await orAborted(Promise.race([over, promise]), port.signal);
    cancel();
    if (first !== ABORTED) return command.end === undefined ? first : "over";
    await command.stop();
    return "aborted";
  }

  /** Whether a command runs on another machine than a turn works on; also where nobody can say. */
  async isElsewhere(
    { machine, end }: RunningCommand,
    { frame, port }: ToolContext,
  ): Promise<boolean> {
    // It is lost with its machine, and what it printed was for this thread.
    if (end !== undefined) return false;
    const found = this.#parts.sandbox.executorFor(frame).catch(() => undefined);
    return (await orAborted(found, port.signal)) !== machine;
  }

  /** Keeps a command that goes on, by a number that no other has. */
  keep(command: RunningCommand, turn: string): number {
    return this.#kept.add(command, turn);
  }

  /** One of the model's. */
  find(id: number): RunningCommand | undefined {
    return this.#kept.find(id);
  }

  forget(id: number): void {
    this.#kept.forget(id);
  }

  /** What goes on, of the model's and of the user's. */
  running(): readonly ThreadProcess[] {
    return this.#kept.running();
  }

  /** Ends one of them for the user. False where there is none of this number. */
  end(processId: string): Promise<boolean> {
    return this.#kept.end(processId, BY_USER);
  }

  /**
   * What a turn leaves running goes on, and its items say so. Of one that was stopped nothing does,
   * nor does what has more than was granted for longer than the turn.
   */
  async endTurn({ turn, port }: ToolContext): Promise<void> {
    const left = this.#kept.leftBy(turn);
    const ends = ({ launchedUnder }: RunningCommand) =>
      port.signal.aborted || (launchedUnder !== NO_SANDBOX && this.#parts.isPassing(launchedUnder));
    const why = port.signal.aborted ? STOPPED : PASSED;
    await Promise.all(left.filter(ends).map((command) => command.stop(why)));
    for (const one of left) one.complete(ends(one) ? { status: "failed" } : {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // One that is answered later is ended then.
    await inTime(Promise.allSettled(this.#starts.keys()), this.#parts.clock);
    await Promise.all([...this.#running].map((command) => command.stop()));
    this.#kept.clear();
  }

  async #start(launch: Launch, context: ToolContext): Promise<RunningCommand> {
    const { item } = launch;
    const { frame, port } = context;
    this.#refuseMany(item.source);
    const begun = await this.#begin(launch, context);
    const command = new RunningCommand({
      ...begun,
      item,
      emit: (event) => port.emit(event),
      clock: this.#parts.clock,
      launchedUnder: launch.waivedFor === null ? sandboxName(frame) : NO_SANDBOX,
    });
    this.#running.add(command);
    void command.over.then(() => this.#running.delete(command));
    if (this.#isClosed || port.signal.aborted) await command.stop();
    return command;
  }

  /**
   * In the session of the thread; what a person let out, or typed, on the executor itself. What is
   * typed may come beside a turn under another policy, and a session is held to that of the turn.
   */
  async #begin(launch: Launch, { frame, turn, port }: ToolContext): Promise<Begun> {
    const { item, waivedFor, cwd } = launch;
    const { sandbox, thread, variables } = this.#parts;
    const how = {
      ...variables(frame.environment ?? ""),
      terminal: launch.hasTerminal ? SIZE : null,
      ids: { thread, turn, call: item.id },
    };
    const isConfined = waivedFor === null && item.source === "agent";
    // First: one that takes its name meanwhile is another machine to whoever types.
    const machine = await sandbox.executorFor(frame);
    const session = isConfined ? await sandbox.sessionFor(frame) : undefined;
    if (session !== undefined) {
      const named = { argv: programOf(item), cwd: nativeOfUri(cwd) ?? cwd };
      const by = { by: "exec_command", signal: port.signal };
      return { machine, ...(await session.start({ ...by, ...how, ...named })) };
    }
    if (waivedFor !== null) await refuseTurned(cwd, machine.files);
    // To find it may have taken long, and nothing begins in a turn that is over.
    port.signal.throwIfAborted();
    const process = await machine.start({
      processId: `agent-${randomUUID()}`,
      ...{ ...how, argv: item.argv, arg0: null, cwd, pipeStdin: false, anchor: null },
      sandbox: waivedFor === null ? intentOf(frame) : waivedIntent(waivedFor),
    });
    return { process, machine, notice: null };
  }

  #refuseMany(source: CommandExecution["source"]): void {
    const starting = [...this.#starts.values()].filter((one) => one === source);
    this.#kept.refuseMany(source, starting.length);
  }
}

function programOf({ argv: [program, ...words] }: CommandExecution): [string, ...string[]] {
  if (program === undefined) throw new Error("Cannot run a command: it is empty, expected words");
  return [program, ...words];
}
