/** What a session says about itself in its replies, beside what its worker prints. */
import type { Applied } from "../../worker/worker-call.ts";
import { statusLine } from "../output/status-line.ts";
import { deathNotice, endNotice, idleNotice, NOTICES, policyNotices } from "./notices.ts";
import type { ReplOutput } from "./repl-output.ts";
import type { ReplFacts } from "./repl-reply.ts";
import type { SeatState, WorkerSeat } from "./worker-seat.ts";

export class SessionVoice {
  readonly #output: ReplOutput;
  /** When the request that runs, or whose end nobody was told of, was begun. */
  #since: number | undefined;

  constructor(output: ReplOutput) {
    this.#output = output;
  }

  /** Tells the request that runs, or whose end nobody was told of, from all others. */
  get since(): number | undefined {
    return this.#since;
  }

  begin(): void {
    this.#output.begin();
    this.#since = performance.now();
  }

  /** The request is over, and its end is about to be told. */
  settle(): void {
    this.#since = undefined;
    this.#output.seal();
  }

  notice(name: keyof typeof NOTICES): void {
    this.#line("notice", NOTICES[name]);
  }

  /** That something is at work; `waitedMs` where it is no request of anybody's. */
  busy(waitedMs: number): void {
    this.#line("status", statusLine({ kind: "busy", elapsedMs: this.#elapsed(waitedMs) }));
  }

  /** That input is taken, and how it was asked for. */
  waits({ prompt }: SeatState & { kind: "waiting" }, isPoll: boolean): void {
    if (prompt === "") this.#line("status", statusLine({ kind: "waiting" }));
    else if (isPoll && this.#output.isEmpty) this.#line("status", statusLine({ kind: "idle" }));
    if (prompt) this.#output.add({ kind: "prompt", text: prompt });
  }

  /** How a worker ended; said once, in the first reply after it. */
  ended(seat: WorkerSeat | undefined): void {
    if (seat?.state.kind !== "ended" || seat.isTold) return;
    const { expected, why } = seat.state;
    seat.tell();
    const wasIdle = this.#since === undefined && seat.hasBeenReady;
    // What it began to print comes before what is said of it.
    this.#output.seal();
    if (expected) this.#line("notice", endNotice(why));
    else this.#line("notice", wasIdle ? idleNotice(why) : deathNotice(why));
  }

  /** That a worker is another than before. `aborted`: the one before it was at work. */
  replaced({ child, state }: Applied, aborted: boolean): void {
    this.#since = undefined;
    // What the one before it began to print is not the other's.
    this.#output.seal();
    if (child !== "changed") return;
    for (const line of policyNotices(state.intent, aborted)) this.#line("notice", line);
  }

  facts(state: SeatState | undefined): ReplFacts {
    switch (state?.kind) {
      case undefined:
        return { status: "idle" };
      case "starting":
      case "busy":
        return { status: "busy", elapsedMs: Math.round(this.#elapsed(0)) };
      case "waiting": {
        const { prompt, exitStatus } = state;
        if (prompt !== undefined) return { status: "waiting", prompt };
        return { status: "idle", ...(exitStatus !== undefined && { exitStatus }) };
      }
      case "ended":
        return { status: "ended", end: state.why };
    }
  }

  #line(kind: "notice" | "status", text: string): void {
    this.#output.add({ kind, text });
  }

  #elapsed(waitedMs: number): number {
    return this.#since === undefined ? waitedMs : performance.now() - this.#since;
  }
}
