/**
 * A child process that always runs under the sandbox of the call it serves.
 *
 * Calls are served one after another. Only a call can start the child, and only
 * under the state that it brought itself: what an earlier call was allowed is no
 * licence for the next. Another state means another process.
 */
import fs from "node:fs";
import path from "node:path";
import {
  ExecError,
  type LocalMachine,
  makeScratch,
  planStart,
  type Scratch,
} from "../../exec/index.ts";
import { type AbsolutePath, uriOfNative } from "../../policy/index.ts";
import { type BoundState, bindState } from "../state/bind-state.ts";
import { idsOfCall } from "../state/ids-of-call.ts";
import type { NetworkBound } from "../state/intent-of-state.ts";
import type { CallContext, StateRefusal } from "../state/read-sandbox-state.ts";
import type { CallState } from "../state/symbolic-state.ts";
import { type Applied, type Licence, WorkerCall, type WorkerChild } from "./worker-call.ts";
import { opensAll, ownEntries, stateUnder, type WorkerPolicy } from "./worker-policy.ts";
import {
  type AttachListener,
  startRequestOf,
  type WorkerCommand,
  WorkerProcess,
} from "./worker-process.ts";

export interface SandboxedWorkerOptions {
  readonly machine: LocalMachine;
  readonly command: WorkerCommand;
  readonly policy: WorkerPolicy;
  readonly network: NetworkBound;
  /** What the child itself has to be able to read, under policies that let little be read. */
  readonly readable?: readonly AbsolutePath[];
  /**
   * Called for every process that is started, with what ends it and what writes to it, which runs
   * nothing: what an old one still prints never reaches a new one's listener.
   */
  readonly attach: AttachListener;
  /**
   * What a child is told on its input before it is interrupted or ended; it must mean nothing else. One that has
   * words is interrupted alone, and tells what it waits for itself; any other is with its group.
   */
  readonly words?: { readonly interrupt: string; readonly shutdown: string };
  /** How long a process has to end by itself when its input is closed. */
  readonly graceMs: number;
}

export class SandboxedWorker {
  readonly #options: SandboxedWorkerOptions;
  #process: WorkerProcess | undefined;
  /** What the last child was started under, or the next is to be. It starts nothing. */
  #known: string | undefined;
  #scratch: Promise<Scratch> | undefined;
  readonly #parts = new WeakMap<WorkerProcess, Pick<Scratch, "remove">>();
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** What a call can do with the child; everything else here starts nothing. */
  readonly #child: WorkerChild = {
    isLive: () => this.live,
    run: (licence) => this.#run(licence),
    stage: (licence) => this.#stage(licence),
    write: (bytes, { key }) =>
      this.#process?.state.key === key ? this.#process.write(bytes) : Promise.resolve(false),
  };

  constructor(options: SandboxedWorkerOptions) {
    this.#options = options;
  }

  /** Whether a child lives. */
  get live(): boolean {
    return this.#process?.alive === true;
  }

  /** What the child runs under; nothing where none lives. */
  get state(): BoundState | undefined {
    return this.live ? this.#process?.state : undefined;
  }

  /** What is on record of the child, or of the last one: it may print, and be over. Null where nothing is. */
  get receiptId(): string | null {
    return this.#process?.receiptId ?? null;
  }

  /** Serves one call after those before it. What `work` is handed is of no use once it is over. */
  call<T>(context: CallContext, work: (call: WorkerCall) => Promise<T>): Promise<T> {
    const served = this.#turn.then(async () => {
      const call = new WorkerCall(await this.#licenceOf(context), this.#child);
      try {
        return await work(call);
      } finally {
        call.end();
      }
    });
    this.#turn = served.catch(() => {});
    return served;
  }

  /** Asks the child to stop what it does. Needs no state, and starts nothing. */
  async interrupt(): Promise<void> {
    const { words } = this.#options;
    // The one of now: another that takes its place meanwhile was not meant.
    const child = this.#process;
    if (words === undefined) {
      await child?.interrupt("group");
      return;
    }
    // The signal goes out also where it reads no words any more.
    await child?.write(Buffer.from(words.interrupt)).catch(() => false);
    // What it waits for must not be over before it knows: it would go on, as if nobody had interrupted it.
    await child?.interrupt("command");
  }

  /** Ends the child, after `graceMs` where it does not end by itself; nothing is started afterwards. */
  async close(graceMs: number = this.#options.graceMs): Promise<void> {
    this.#isClosed = true;
    // A call that waits for the child is over once the child is.
    await this.#stop(this.#process, graceMs);
    await this.#turn;
    await this.#stop(this.#process, graceMs);
    await (await this.#scratch?.catch(() => undefined))?.remove();
  }

  async #licenceOf(context: CallContext): Promise<Licence | StateRefusal> {
    if (this.#isClosed) return CLOSED;
    const reading = stateUnder(this.#options.policy, context);
    if (reading.kind === "refused") return reading;
    return this.#unlessRefused(async () => {
      const state = this.#bound(reading.state, (await this.#scratchFolder()).folder);
      if (state.kind === "refused") return state;
      return { kind: "licence", state, asked: reading.state, ids: idsOfCall(context) };
    });
  }

  /** A state with a temporary folder that is there under every policy, read-only too. */
  #bound(asked: CallState, temporary: AbsolutePath): BoundState | StateRefusal {
    const { machine, network, readable = [] } = this.#options;
    const own = ownEntries(asked.profile, {
      read: readable.map((one) => uriOfNative(one)),
      write: [uriOfNative(temporary)],
    });
    return bindState(asked, { host: machine.host, network }, own);
  }

  #scratchFolder(): Promise<Scratch> {
    this.#scratch ??= makeScratch(this.#options.machine.host.records, "scratch").catch(
      (error: unknown) => {
        // Why there was none may be over by the next call.
        this.#scratch = undefined;
        throw error;
      },
    );
    return this.#scratch;
  }

  /** A child under the licence, and none under anything else; where that cannot be had, all is as before. */
  async #run(licence: Licence): Promise<Applied | StateRefusal> {
    if (this.#isClosed) return CLOSED;
    const { key } = licence.state;
    const [was, old] = [this.#known, this.#process];
    if (old?.alive && old.state.key === key) {
      return { kind: "applied", child: "kept", state: old.state };
    }
    // Before the old one ends: a state that nothing starts under must cost nothing.
    const started = await this.#unlessRefused(() => this.#start(licence));
    if ("kind" in started) return started;
    if (this.#isClosed) {
      await this.#stop(started, 0);
      return CLOSED;
    }
    this.#process = started;
    this.#known = key;
    await this.#stop(old);
    const child = was === undefined || was === key ? "started" : "changed";
    return { kind: "applied", child, state: started.state };
  }

  /** Ends the child and notes what the next one is to run under, if one can. */
  async #stage({ state, ids }: Licence): Promise<StateRefusal | undefined> {
    if (this.#isClosed) return CLOSED;
    const planned = await this.#unlessRefused(async () => {
      const request = startRequestOf(state, { ...this.#options.command, ids });
      return planStart(request, this.#options.machine.host);
    });
    if ("kind" in planned) return planned;
    this.#known = state.key;
    await this.#stop(this.#process);
    return undefined;
  }

  async #stop(
    process: WorkerProcess | undefined,
    graceMs: number = this.#options.graceMs,
  ): Promise<void> {
    const { words } = this.#options;
    if (words !== undefined) await process?.write(Buffer.from(words.shutdown)).catch(() => false);
    await process?.stop(graceMs);
    if (process !== undefined) await this.#parts.get(process)?.remove();
  }

  /**
   * Each child has a temporary folder of its own and reaches no other: what one leaves is not there
   * for the next, which may run under less, nor can that turn it elsewhere while it is removed.
   */
  async #start({ asked, state, ids }: Licence): Promise<WorkerProcess | StateRefusal> {
    const { machine, attach, command } = this.#options;
    const place = { executor: machine.executor, attach };
    const part = await (await this.#scratchFolder()).part();
    // One below: the place itself is mounted, and what is mounted cannot be removed and made anew.
    const temporary = path.join(part.folder, "tmp");
    const own = this.#bound(asked, part.folder);
    if (own.kind === "refused") {
      await part.remove();
      return own;
    }
    try {
      // At once: to be told of it later takes longer than it does.
      fs.mkdirSync(temporary, { mode: 0o700 });
      const held = { ...own, key: state.key };
      const env = isReached(own) ? { ...command.env, TMPDIR: temporary } : command.env;
      const started = await WorkerProcess.start(held, { ...command, env, ids }, place);
      this.#parts.set(started, part);
      return started;
    } catch (error) {
      await part.remove();
      throw error;
    }
  }

  async #unlessRefused<T>(work: () => Promise<T>): Promise<T | StateRefusal> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ExecError)) throw error;
      return refused(error.message);
    }
  }
}

/** Whether a child under it sees its own temporary folder; one that sees all other places has those. */
function isReached({ intent }: BoundState): boolean {
  return intent.kind === "waived" || !opensAll(intent.context.profile);
}

function refused(why: string): StateRefusal {
  return { kind: "refused", code: "unenforceable", message: `Cannot run this call: ${why}` };
}

const CLOSED = refused("the server is shutting down");
