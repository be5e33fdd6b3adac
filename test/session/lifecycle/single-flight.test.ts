import { describe, expect, it } from "vitest";
import { settle } from "../support/fake-clock.ts";
import { intentOf, over } from "../support/fake-provider.ts";
import { NEVER, RANK, sessionLab } from "../support/session-lab.ts";

function gated(options: Parameters<typeof sessionLab>[0] = {}) {
  const lab = sessionLab(options);
  const { promise, resolve } = Promise.withResolvers<void>();
  lab.provider.gate = promise;
  return { ...lab, open: resolve };
}

const by = (signal: AbortSignal) => ({ by: "bash", signal });

describe("calls at the same time", () => {
  it("case 27, D1: boot one sandbox, report it once and both run in it", async () => {
    const { provider, told, bash, session } = sessionLab();
    await Promise.all([bash("one"), bash("two"), bash("three")]);
    expect(provider.created).toHaveLength(1);
    expect(told).toHaveLength(1);
    expect(provider.at(1).commands).toHaveLength(3);
    await session.dispose();
    expect(provider.alive).toEqual([]);
  });

  it("case 28, D1: one that comes during a slow preparation runs in the sandbox that is reported", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { provider, bash, session } = sessionLab({ prepare: () => promise });
    const first = bash("one");
    await settle();
    const second = bash("two");
    await settle();
    resolve();
    await Promise.all([first, second]);
    expect(session.reference()).toMatchObject({ id: "sbx_1" });
    expect(provider.made).toHaveLength(1);
    expect(provider.at(1).commands).toHaveLength(2);
  });

  it("case 29: one that gives up leaves the boot to the others", async () => {
    const { provider, session, open } = gated();
    const giveUp = new AbortController();
    const first = session.acquire(by(giveUp.signal));
    const second = session.acquire(by(NEVER));
    await settle();
    giveUp.abort();
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    expect(provider.created[0]?.signal.aborted).toBe(false);
    open();
    await expect(second).resolves.toMatchObject({ id: "sbx_1" });
  });

  it("case 29: the last one that gives up cancels the boot, and what was made all the same is ended", async () => {
    const { provider, session, open, told } = gated();
    const giveUp = [new AbortController(), new AbortController()];
    const waiting = giveUp.map(({ signal }) => session.acquire(by(signal)));
    await settle();
    giveUp[0]?.abort();
    giveUp[1]?.abort();
    for (const one of waiting) await expect(one).rejects.toMatchObject({ code: "aborted" });
    expect(provider.created[0]?.signal.aborted).toBe(true);
    open();
    await settle();
    expect(provider.alive).toEqual([]);
    expect(told).toEqual([]);
    expect(session.state).toBe("absent");
  });

  it("case 29: a newcomer waits for the cancelled boot to be over and gets one of its own", async () => {
    const { provider, session, open } = gated();
    const giveUp = new AbortController();
    const first = session.acquire(by(giveUp.signal));
    await settle();
    giveUp.abort();
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    const second = session.acquire(by(NEVER));
    await settle();
    expect(provider.created).toHaveLength(1);
    open();
    await expect(second).resolves.toEqual({ id: "sbx_2", generation: 1 });
    expect(provider.alive).toEqual(["sbx_2"]);
  });

  it("a preparation that nobody waited for is done again, in the same sandbox", async () => {
    let prepared = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const { provider, session } = sessionLab({
      prepare: async () => {
        prepared += 1;
        await promise;
      },
    });
    const giveUp = new AbortController();
    const first = session.acquire(by(giveUp.signal));
    await settle();
    giveUp.abort();
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    resolve();
    await expect(session.acquire(by(NEVER))).resolves.toEqual({ id: "sbx_1", generation: 1 });
    expect([prepared, provider.created.length]).toEqual([2, 1]);
  });

  it("a failed boot fails all that wait for it and nobody after them", async () => {
    const { provider, bash } = sessionLab();
    provider.faults.create.push(new Error("boom"));
    const [one, two] = await Promise.allSettled([bash("one"), bash("two")]);
    expect([one.status, two.status]).toEqual(["rejected", "rejected"]);
    await bash("three");
    expect(provider.created).toHaveLength(2);
  });

  it("one that was cancelled before it began asks nobody", async () => {
    const { provider, session } = sessionLab();
    await expect(session.acquire(by(AbortSignal.abort()))).rejects.toMatchObject({
      code: "aborted",
    });
    expect(provider.created).toEqual([]);
  });

  it("L3: a policy that changes while a boot is under way is the one that counts", async () => {
    const { provider, session, bash, open } = gated();
    const running = bash("one");
    await settle();
    const narrow = intentOf(RANK - 1);
    session.useIntent(narrow);
    open();
    await running;
    expect(provider.at(1).commands[0]?.intent).toBe(narrow);
  });
});

describe("a session that is disposed", () => {
  it("case 30: cancels a boot in flight and leaves no sandbox", async () => {
    const { provider, session, open } = gated();
    const waiting = session.acquire(by(NEVER));
    await settle();
    const disposed = session.dispose();
    expect(provider.created[0]?.signal.aborted).toBe(true);
    open();
    await disposed;
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    expect(provider.alive).toEqual([]);
    expect(session.state).toBe("gone");
  });

  it("D8: stops what it had, says that there is none now, and may be called again", async () => {
    const { provider, session, bash, told } = sessionLab();
    await bash("true");
    await Promise.all([session.dispose(), session.dispose()]);
    await session.dispose();
    expect(provider.at(1).stops).toBe(1);
    expect(told.at(-1)).toBeNull();
    expect(session.reference()).toBeNull();
    await expect(bash("true")).rejects.toMatchObject({
      code: "stopped",
      message: expect.stringContaining("the session was closed, expected one that is open"),
    });
    expect(provider.created).toHaveLength(1);
  });

  it("does not call lost what it ended itself while a command ran", async () => {
    const { provider, session, bash, events } = sessionLab();
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
    const running = bash("sleep");
    await settle();
    const { promise, resolve } = Promise.withResolvers<void>();
    const sandbox = provider.at(1);
    sandbox.stop = async () => {
      sandbox.stops += 1;
      sandbox.running[0]?.fail(over());
      await promise;
      sandbox.die();
    };
    const disposed = session.dispose();
    await expect(running).rejects.toMatchObject({ code: "interrupted" });
    resolve();
    await disposed;
    expect(events.map(({ kind }) => kind)).not.toContain("lost");
    expect([sandbox.stops, session.state]).toEqual([1, "gone"]);
  });

  it("tries again to end what it could not end", async () => {
    const { provider, session, bash } = sessionLab();
    await bash("true");
    provider.at(1).faults.stop.push(new Error("busy"));
    await expect(session.dispose()).rejects.toMatchObject({ code: "unavailable" });
    await session.dispose();
    expect(provider.alive).toEqual([]);
  });

  it("says again that there is none, where nobody heard it", async () => {
    const told: unknown[] = [];
    const { session } = sessionLab({
      onReference: async (remembered) => {
        told.push(remembered?.reference.id ?? null);
        if (told.length === 2) throw new Error("store is down");
      },
    });
    await session.acquire(by(NEVER));
    await expect(session.dispose()).rejects.toThrow("store is down");
    await session.dispose();
    await session.dispose();
    expect(told).toEqual(["sbx_1", null, null]);
  });

  it("D8: ends also what was lost before, where that could not be ended then", async () => {
    const { provider, session, bash } = sessionLab();
    await bash("true");
    provider.at(1).die();
    provider.at(1).faults.stop.push(new Error("busy"));
    await bash("true");
    expect(provider.at(1).stops).toBe(1);
    await session.dispose();
    expect(provider.at(1).stops).toBe(2);
  });
});

describe("a session that is released", () => {
  it("leaves the sandbox alive, and the next call finds it by its reference", async () => {
    const { provider, session, bash } = sessionLab();
    await bash("true");
    await session.release();
    expect(session.state).toBe("absent");
    expect(provider.alive).toEqual(["sbx_1"]);
    await bash("true");
    expect(provider.found).toEqual(["sbx_1"]);
    expect(provider.created).toHaveLength(1);
  });

  it("ends a sandbox that nobody would find again", async () => {
    const { provider, session } = sessionLab({
      onReference: async () => {
        throw new Error("store is down");
      },
    });
    await expect(session.acquire(by(NEVER))).rejects.toThrow("store is down");
    await session.release();
    expect(provider.alive).toEqual([]);
  });
});
