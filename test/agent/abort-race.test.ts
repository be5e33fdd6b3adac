import { getEventListeners } from "node:events";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AbortRace } from "../../src/agent/abort-race.ts";
import { ABORTED } from "../../src/agent/or-aborted.ts";

const never = new Promise<string>(() => {});

describe("waiting for one thing after the other under a signal", () => {
  it("gives what each comes to, with one listener for all", async () => {
    const { signal } = new AbortController();
    const race = new AbortRace(signal);
    expect(await race.wait(Promise.resolve("one"))).toBe("one");
    await expect(race.wait(Promise.reject(new Error("two")))).rejects.toThrow("two");
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    race.end();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends when the signal fires, for what is waited for and for what comes after", async () => {
    const stop = new AbortController();
    const race = new AbortRace(stop.signal);
    const waiting = race.wait(never);
    stop.abort();
    expect(await waiting).toBe(ABORTED);
    expect(await race.wait(Promise.resolve("late"))).toBe(ABORTED);
  });

  it("drops what goes wrong after that", async () => {
    const stop = new AbortController();
    const race = new AbortRace(stop.signal);
    const { promise, reject } = Promise.withResolvers<string>();
    const waiting = race.wait(promise);
    stop.abort();
    reject(new Error("nobody listens"));
    expect(await waiting).toBe(ABORTED);
    await turnOfLoop();
  });
});
