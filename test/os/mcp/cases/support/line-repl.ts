/**
 * A REPL on a sandboxed worker: the tool `repl` of the inherit cases.
 *
 * A request that takes too long stays pending; empty input polls, U+0003
 * interrupts, U+0004 restarts, long output is paged or kept in a file. What a call
 * needs its state for is asked of `stateHandling`, and nowhere else.
 */
import {
  type Applied,
  refusalResult,
  type SandboxedWorker,
  stateHandling,
  type WorkerCall,
} from "writ/mcp";
import { lineOf } from "./line-worker.ts";
import { type ReplInput, readInput } from "./read-input.ts";
import { MOST_SHOWN, ReplSession } from "./repl-session.ts";

export interface ReplCall {
  readonly input: string;
  readonly timeoutMs: number;
  readonly meta: unknown;
}

export interface ReplReply {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
}

export interface LineReplOptions {
  readonly longOutput: "pager" | "file";
  /** Where the files of long output begin. */
  readonly bundles: string;
  /** Comes between the look at the worker and its use. */
  readonly checked: () => Promise<void>;
}

/** How long a request that is about to finish is waited for before the next is judged. */
const SETTLE_MS = 25;
const KILLED = 137;

export class LineRepl {
  /** How many processes were started. */
  starts = 0;
  readonly #options: LineReplOptions;
  #session: ReplSession | undefined;
  #rest = "";

  constructor(options: LineReplOptions) {
    this.#options = options;
  }

  /** The process that runs, or was the last to. */
  get session(): ReplSession | undefined {
    return this.#session;
  }

  /** What a worker of this REPL is given to tell what it prints. */
  attach(): ReplSession {
    this.starts += 1;
    const { longOutput, bundles } = this.#options;
    const folder = longOutput === "file" ? `${bundles}-${this.starts}` : undefined;
    this.#session = new ReplSession(folder);
    return this.#session;
  }

  /** Serves a call of the tool. */
  serve(worker: SandboxedWorker, { input, timeoutMs, meta }: ReplCall): Promise<ReplReply> {
    return worker.call({ mcpReq: { _meta: meta } }, async (call) => {
      if (input !== "") await this.#session?.settle(SETTLE_MS);
      const asked = readInput(input, this.#rest !== "");
      const handling = stateHandling({
        input: asked.kind,
        live: worker.live,
        pending: this.#session?.isOwed ?? false,
        pager: this.#rest !== "",
      });
      await this.#options.checked();
      const turn = { call, worker, timeoutMs };
      switch (handling) {
        case "apply":
          return this.#run(asked, turn);
        case "stage":
          return this.#restart(asked, turn);
        case "glance":
          return this.#look(asked, turn);
        case "ignore":
          return this.#leavePager();
      }
    });
  }

  async #run({ kind, code }: ReplInput, turn: Turn): Promise<ReplReply> {
    const before = this.#session;
    const wasRunning = before?.isRunning ?? false;
    const applied = await turn.call.apply();
    if (applied.kind === "refused") return refusalResult(applied);
    this.#rest = "";
    if (applied.child === "kept" && before?.isRunning) {
      if (kind !== "interruptAndCode") return this.#show(`${before.take()}${DISCARDED}${BUSY}`);
      await turn.worker.interrupt();
      await before.settle(turn.timeoutMs);
      if (before.isRunning) return this.#show(`${before.take()}${DISCARDED}${BUSY}`);
    }
    const told = `${before?.take() ?? ""}${noticeOf(applied, wasRunning)}`;
    if (kind === "empty") return this.#show(`${told}${IDLE}`);
    return this.#send(code, turn, told);
  }

  /** A worker that died since it was looked at is replaced once, under the state of this call. */
  async #send(code: string, turn: Turn, told: string): Promise<ReplReply> {
    if (!(await this.#write(code, turn.call))) {
      const again = await turn.call.apply();
      if (again.kind === "refused") return refusalResult(again);
      if (!(await this.#write(code, turn.call))) return this.#show(`${told}${LOST}`, true);
    }
    await this.#session?.settle(turn.timeoutMs);
    return this.#report(turn.call, told);
  }

  async #write(code: string, call: WorkerCall): Promise<boolean> {
    const number = this.#session?.begin() ?? 0;
    return call.write(lineOf(number, code));
  }

  async #restart({ kind, code }: ReplInput, turn: Turn): Promise<ReplReply> {
    const refusal = await turn.call.stage();
    if (refusal !== undefined) return refusalResult(refusal);
    this.#rest = "";
    const told = `${this.#session?.take() ?? ""}${RESTARTED}`;
    if (kind === "restart") return this.#show(told);
    const applied = await turn.call.apply();
    if (applied.kind === "refused") return refusalResult(applied);
    return this.#send(code, turn, told);
  }

  async #look({ kind }: ReplInput, turn: Turn): Promise<ReplReply> {
    if (kind === "pagerCommand") return this.#leavePager();
    if (kind === "interrupt") await turn.worker.interrupt();
    if (kind === "empty" && this.#rest !== "") return this.#show(this.#session?.take() ?? "");
    const session = this.#session;
    if (session?.isOwed) {
      await session.settle(turn.timeoutMs);
      return this.#report(turn.call, "");
    }
    if (kind === "interrupt") return this.#show("");
    if (turn.worker.live) return this.#show(IDLE);
    return this.#run({ kind, code: "" }, turn);
  }

  /** What there is to say of the request, and a new process where the old one has ended and the call may have one. */
  async #report(call: WorkerCall, told: string): Promise<ReplReply> {
    const session = this.#session;
    if (session === undefined) return this.#show(told);
    const text = `${told}${session.take()}`;
    if (session.isRunning) return this.#show(`${text}${BUSY}`);
    if (session.end === undefined) return this.#show(text);
    const { exitCode } = session.end;
    const again = (await call.revive()) ? RESTARTED : "";
    const isError = exitCode === undefined || exitCode === KILLED;
    return this.#show(`${text}[line: session ended, ${exitCode}]\n${again}`, isError);
  }

  #leavePager(): ReplReply {
    this.#rest = "";
    return this.#show("[line: output left]\n");
  }

  /** Text as a reply, a page at a time. */
  #show(text: string, isError = false): ReplReply {
    const all = `${this.#rest}${text}`;
    const most = this.#options.longOutput === "pager" ? MOST_SHOWN : all.length;
    this.#rest = all.slice(most);
    const more = this.#rest === "" ? "" : MORE;
    return { isError, content: [{ type: "text", text: `${all.slice(0, most)}${more}` }] };
  }
}

interface Turn {
  readonly call: WorkerCall;
  readonly worker: SandboxedWorker;
  readonly timeoutMs: number;
}

const BUSY = "[line: still running]\n";
const DISCARDED = "[line: this input was not run]\n";
const IDLE = "[line: nothing runs]\n";
const LOST = "[line: the session is gone]\n";
const MORE = "\n[line: more]";
const RESTARTED = "[line: fresh session]\n";

/** The first process comes without a notice, and so does one that was asked for. */
function noticeOf({ child, state }: Applied, wasRunning: boolean): string {
  if (child !== "changed") return "";
  const { intent } = state;
  const policy = intent.kind === "enforce" ? JSON.stringify(intent.context.profile) : intent.reason;
  const aborted = wasRunning ? "[line: what ran was ended by it]\n" : "";
  return `[line: another policy, another session]\n${aborted}[line: policy now ${policy}]\n`;
}
