import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { relaySignals } from "../../../src/cli/exec/relay-signals.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A command elsewhere that is told of signals. */
function aCommand(answer: () => Promise<unknown>) {
  const told: string[] = [];
  const relay = relaySignals({
    interrupt: async (reach) => {
      told.push(`interrupt the ${reach}`);
      await answer();
    },
    terminate: async () => {
      told.push("terminate");
      await answer();
      return true;
    },
  });
  onTestFinished(() => relay.stop());
  let unheard: string | undefined;
  void relay.unheard.then((signal) => {
    unheard = signal;
  });
  return { told, unheard: () => unheard };
}

/** To nobody but the relay: whoever runs these tests listens as well. */
function raise(signal: NodeJS.Signals): void {
  process.listeners(signal).at(-1)?.(signal);
}

const never = () => new Promise(() => {});

it("tells the command of each, however many come", async () => {
  const { told, unheard } = aCommand(async () => {});
  for (const signal of ["SIGINT", "SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"] as const) {
    raise(signal);
    await vi.advanceTimersByTimeAsync(10_000);
  }
  const ends = Array.from({ length: 3 }, () => "terminate");
  expect(told).toEqual(["interrupt the group", "interrupt the group", ...ends]);
  expect(unheard()).toBe(undefined);
});

it("gives up a command that is not told in time", async () => {
  const { unheard } = aCommand(never);
  raise("SIGINT");
  await vi.advanceTimersByTimeAsync(5_999);
  expect(unheard()).toBe(undefined);
  await vi.advanceTimersByTimeAsync(1);
  expect(unheard()).toBe("SIGINT");
});

it("gives it up at once where another one comes while the first waits, and not for two in one moment", async () => {
  const { told, unheard } = aCommand(never);
  raise("SIGHUP");
  raise("SIGTERM");
  await vi.advanceTimersByTimeAsync(499);
  expect([told, unheard()]).toEqual([["terminate", "terminate"], undefined]);
  await vi.advanceTimersByTimeAsync(1);
  raise("SIGINT");
  await vi.advanceTimersByTimeAsync(0);
  expect(unheard()).toBe("SIGINT");
});
