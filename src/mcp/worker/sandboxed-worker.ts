/**
 * A child process that always runs under the sandbox of the call it serves.
 *
 * Calls are served one after another. Only a call can start the child, and only
 * under the state that it brought itself: what an earlier call was allowed is no
 * licence for the next. Another state means another process.
 */
import { ExecError, type LocalMachine, makeScratch, type Scratch } from "../../exec/index.ts";
import { type SandboxState, uriOfNative } from "../../policy/index.ts";
import { type BoundState, bindState } from "../state/bind-state.ts";
import { idsOfCall } from "../state/ids-of-call.ts";
import type { NetworkBound } from "../state/intent-of-state.ts";
import type { CallContext, StateRefusal } from "../state/read-sandbox-state.ts";
import { type Applied, type Licence, WorkerCall, type WorkerChild } from "./worker-call.ts";
import { stateUnder, type WorkerPolicy, withWritable } from "./worker-policy.ts";
import { type WorkerCommand, type WorkerListener, WorkerProcess } from "./worker-process.ts";

export interface SandboxedWorkerOptions {
  readonly machine: LocalMachine;
  readonly command: WorkerCommand;
  readonly policy: WorkerPolicy;
  readonly network: NetworkBound;
  /** Called for every process that is started: what an old one still prints never reaches a new one's listener. */
  readonly attach: () => WorkerListener;
  /** How long a process has to end by itself when its input is closed. */
  readonly graceMs: number;
}

export class SandboxedWorker {
  readonly #options: SandboxedWorkerOptions;
  #process: WorkerProcess | undefined;
  /** What the last child was started under, or the next is to be. It starts nothing. */
  #known: string | undefined;
  #scratch: Promise<Scratch> | undefined;
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
    await this.#process?.interrupt();
  }

  /** Ends the child; nothing is started afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // A call that waits for the child is over once the child is.
    await this.#process?.stop(this.#options.graceMs);
    await this.#turn;
    await this.#process?.stop(this.#options.graceMs);
    await (await this.#scratch?.catch(() => undefined))?.remove();
  }

  async #licenceOf(context: CallContext): Promise<Licence | StateRefusal> {
    const { policy, machine, network } = this.#options;
    const reading = stateUnder(policy, context);
    if (reading.kind === "refused") return reading;
    try {
      const withScratch = await this.#withScratch(reading.state);
      const state = bindState(withScratch, { host: machine.host, network });
      return state.kind === "refused" ? state : { kind: "licence", state, ids: idsOfCall(context) };
    } catch (error) {
      if (!(error instanceof ExecError)) throw error;
      return refused(error.message);
    }
  }

  /** A temporary folder that is there under every policy, read-only too. */
  async #withScratch(state: SandboxState): Promise<SandboxState> {
    const scratch = await this.#scratchFolder();
    return { ...state, profile: withWritable(state.profile, [uriOfNative(scratch.folder)]) };
  }

  #scratchFolder(): Promise<Scratch> {
    this.#scratch ??= makeScratch(this.#options.machine.host.records);
    return this.#scratch;
  }

  /** A child under the licence, and none under anything else. */
  async #run({ state, ids }: Licence): Promise<Applied | StateRefusal> {
    if (this.#isClosed) return refused("the server is shutting down");
    const was = this.#known;
    if (this.#process?.alive && this.#process.state.key === state.key) {
      return { kind: "applied", child: "kept", state };
    }
    this.#known = state.key;
    await this.#process?.stop(this.#options.graceMs);
    const refusal = await this.#start(state, ids);
    if (refusal !== undefined) return refusal;
    const child = was === undefined || was === state.key ? "started" : "changed";
    return { kind: "applied", child, state };
  }

  /** Ends the child and notes what the next one is to run under. */
  async #stage({ state }: Licence): Promise<void> {
    this.#known = state.key;
    await this.#process?.stop(this.#options.graceMs);
  }

  async #start(state: BoundState, ids: Licence["ids"]): Promise<StateRefusal | undefined> {
    const { machine, command, attach } = this.#options;
    const { folder } = await this.#scratchFolder();
    const env = { ...command.env, TMPDIR: folder };
    const place = { executor: machine.executor, attach };
    try {
      this.#process = await WorkerProcess.start(state, { ...command, env, ids }, place);
    } catch (error) {
      if (!(error instanceof ExecError)) throw error;
      return refused(error.message);
    }
    if (!this.#isClosed) return undefined;
    await this.#process.stop(0);
    return refused("the server is shutting down");
  }
}

function refused(why: string): StateRefusal {
  return { kind: "refused", code: "unenforceable", message: `Cannot run this call: ${why}` };
}
