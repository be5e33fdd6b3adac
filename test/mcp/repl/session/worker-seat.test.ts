import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LinkListener, WorkerLink } from "../../../../src/mcp/repl/protocol/worker-link.ts";
import { WorkerSeat } from "../../../../src/mcp/repl/session/worker-seat.ts";

const GREETING = {
  type: "worker_ready",
  protocol: { name: "mcp-repl-worker", version: 6 },
  worker: { name: "w", version: "1" },
  capabilities: { images: false },
};

/** A seat, what was printed at it, and how often its process was ended. */
function seat() {
  const printed: unknown[] = [];
  const ended: string[] = [];
  const one = new WorkerSeat(
    (event) => void printed.push(event),
    () => void ended.push("end"),
    (listener) => new WorkerLink(listener),
  );
  const say = (message: object) =>
    one.output(Buffer.from(`${JSON.stringify(message)}\n`), "stdout");
  return { one, printed, ended, say };
}

describe("a WorkerSeat", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends a process that does not greet in 10 s, and says so", () => {
    const { one, ended } = seat();
    vi.advanceTimersByTime(9_999);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ended).toEqual(["end"]);
    one.ended({ exitCode: 137, sandboxDenied: false });
    expect(one.state).toEqual({
      kind: "ended",
      expected: false,
      why: "did not start within 10 s",
    });
  });

  it("takes no prompt for a question that it waited at from the first", () => {
    const { one, say } = seat();
    say(GREETING);
    const asked = ["> ", "name: ", "> "].map((prompt) => {
      say({ type: "input_wait", prompt });
      return one.question;
    });
    expect(asked).toEqual([undefined, { kind: "waiting", prompt: "name: " }, undefined]);
  });

  it("gives one that has greeted all the time it takes", () => {
    const { one, ended, say } = seat();
    say(GREETING);
    vi.advanceTimersByTime(600_000);
    expect([ended, one.state.kind]).toEqual([[], "starting"]);
  });

  it("ends a process that said that it ends and does not", () => {
    const { one, ended, say } = seat();
    say(GREETING);
    say({ type: "ready" });
    say({ type: "session_end", reason: "runtime_exit", message: "exit 3" });
    vi.advanceTimersByTime(1_000);
    expect(ended).toEqual(["end"]);
    one.ended({ exitCode: 137, sandboxDenied: false });
    expect(one.state).toEqual({ kind: "ended", expected: true, why: "exit 3" });
  });

  it("leaves no timer when it is over", () => {
    const { one, say } = seat();
    say(GREETING);
    say({ type: "session_end" });
    one.ended({ exitCode: 0, sandboxDenied: false });
    expect(vi.getTimerCount()).toBe(0);
    const other = seat();
    other.one.ended(undefined);
    expect(vi.getTimerCount()).toBe(0);
    expect(other.one.state).toMatchObject({ why: "was lost before it was ready" });
  });

  it("says how a cell of a shell failed in a line of the server, and keeps how it ended", () => {
    const printed: unknown[] = [];
    const heard: LinkListener[] = [];
    const one = new WorkerSeat(
      (event) => void printed.push(event),
      () => {},
      (listener) => {
        heard.push(listener);
        return new WorkerLink(listener);
      },
    );
    heard[0]?.greets();
    heard[0]?.waits(undefined, 3);
    expect(printed).toEqual([{ kind: "notice", text: "[exit status 3]" }]);
    expect(one.state).toMatchObject({ kind: "waiting", exitStatus: 3 });
    heard[0]?.waits(undefined, 0);
    expect([printed.length, one.state]).toMatchObject([1, { exitStatus: 0 }]);
  });

  it("shows nothing of one that was replaced", () => {
    const { one, printed, say } = seat();
    say(GREETING);
    one.replace();
    say({ type: "output_text", stream: "stdout", data_b64: "eA==" });
    say({ type: "input_line", prompt: "> ", text: "x" });
    one.output(Buffer.from("raw"), "stderr");
    expect(printed).toEqual([]);
  });

  it("waits for a state, and no longer than it is told or somebody wants it to", async () => {
    const { one, say } = seat();
    const isWaiting = () => one.state.kind === "waiting";
    const signal = new AbortController();
    const waits = [
      one.until(isWaiting, 0, signal.signal),
      one.until(isWaiting, 10, signal.signal),
      one.until(isWaiting, 2 ** 40, signal.signal),
      one.until(isWaiting, 100, AbortSignal.abort()),
    ];
    await vi.advanceTimersByTimeAsync(10);
    say(GREETING);
    say({ type: "ready" });
    expect(await Promise.all(waits)).toEqual([false, false, true, false]);
    one.input("x");
    const aborted = one.until(isWaiting, 100, signal.signal);
    signal.abort();
    expect(await aborted).toBe(false);
  });
});
