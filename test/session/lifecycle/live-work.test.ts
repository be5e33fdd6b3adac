import { describe, expect, it } from "vitest";
import { SessionError } from "../../../src/session/session-error.ts";
import { settle } from "../support/fake-clock.ts";
import { over } from "../support/fake-provider.ts";
import { NEVER, sessionLab } from "../support/session-lab.ts";

const background = { name: "dev", by: "test", argv: ["serve"] as const, signal: NEVER };

describe("keepalive", () => {
  it("case 60: extends once for each execution", async () => {
    const { provider, bash } = sessionLab({ keepaliveMs: 5000 });
    await bash("one");
    await bash("two");
    expect(provider.at(1).extended).toEqual([5000, 5000]);
  });

  it.each([undefined, 0])("case 61: is off when it is %s", async (keepaliveMs) => {
    const { provider, bash, clock } = sessionLab(keepaliveMs === 0 ? { keepaliveMs } : {});
    await bash("one");
    await clock.pass(3_600_000);
    expect(provider.at(1).extended).toEqual([]);
  });

  it.each([Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 31])(
    "case 61: %s is refused, for either duration, before there is a session",
    (value) => {
      for (const name of ["keepaliveMs", "idleMs"]) {
        expect(() => sessionLab({ [name]: value })).toThrow(`Cannot use "${name}": it is ${value}`);
      }
    },
  );

  it("case 62: that fails without a verdict lets the command run", async () => {
    const { provider, bash } = sessionLab({ keepaliveMs: 5000 });
    provider.onCreate = ({ faults }) => faults.extend.push(new SessionError("unavailable", "no"));
    await expect(bash("one")).resolves.toMatchObject({ ok: true });
  });

  it("case 62: that finds the sandbox over replaces it before the command", async () => {
    const { provider, bash } = sessionLab({ keepaliveMs: 5000 });
    await bash("one");
    provider.at(1).faults.extend.push(over());
    await bash("two");
    expect(provider.at(1).commands).toHaveLength(1);
    expect(provider.at(2).commands).toHaveLength(1);
  });

  it("replaces a sandbox that dies after its probe once, and not for ever", async () => {
    const { provider, bash } = sessionLab({ keepaliveMs: 5000 });
    provider.onCreate = ({ faults }) => faults.extend.push(over());
    await expect(bash("one")).rejects.toMatchObject({ code: "stopped" });
    expect(provider.created).toHaveLength(2);
  });

  it("case 65: goes on while a command runs, and stops with it", async () => {
    const { provider, bash, clock } = sessionLab({ keepaliveMs: 60_000 });
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
    const running = bash("sleep");
    await clock.pass(90_000);
    expect(provider.at(1).extended).toHaveLength(1 + 3);
    provider.at(1).running[0]?.end(0);
    await running;
    await clock.pass(3_600_000);
    expect(provider.at(1).extended).toHaveLength(1 + 3);
    expect(clock.waiting).toBe(0);
  });

  it("case 65: leaves no timer behind when the session ends", async () => {
    const { session, clock, provider } = sessionLab({ keepaliveMs: 60_000, idleMs: 60_000 });
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
    await session.startBackground(background);
    await session.dispose();
    await settle();
    expect(provider.alive).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  it("that finds the sandbox over while work runs leaves it to the next call to replace it", async () => {
    const { provider, session, clock, bash } = sessionLab({ keepaliveMs: 60_000 });
    provider.onCreate = (sandbox) => {
      if (sandbox.id === "sbx_1") sandbox.script = () => ({ exitCode: null });
    };
    await session.startBackground(background);
    provider.at(1).faults.extend.push(over());
    await clock.pass(30_000);
    expect(session.state).toBe("lost");
    await bash("two");
    expect(provider.alive).toEqual(["sbx_2"]);
  });
});

describe("a session without work", () => {
  it("is idle at once, and its sandbox is ended after a while", async () => {
    const { session, provider, bash, clock, told } = sessionLab({ idleMs: 10_000 });
    await bash("one");
    expect(session.state).toBe("idle");
    await clock.pass(9_999);
    expect(provider.alive).toEqual(["sbx_1"]);
    await clock.pass(1);
    expect(provider.alive).toEqual([]);
    expect(session.state).toBe("gone");
    expect(told.at(-1)).toBeNull();
  });

  it("boots again when it is needed, and says what is gone", async () => {
    const { tool, clock, provider, session } = sessionLab({ idleMs: 10_000 });
    await tool("bash", { command: "one" });
    await clock.pass(10_000);
    const { notice } = await tool("bash", { command: "two" });
    expect(notice).toContain("Files outside the workspace");
    expect(provider.found).toEqual([]);
    expect(session.generation).toBe(2);
  });

  it("keeps its sandbox for as long as calls come", async () => {
    const { provider, bash, clock } = sessionLab({ idleMs: 10_000 });
    for (let turn = 0; turn < 5; turn += 1) {
      await bash("one");
      await clock.pass(9_000);
    }
    expect(provider.created).toHaveLength(1);
  });

  it("makes a call wait for an end that has begun, and gives it a new sandbox", async () => {
    const { provider, session, bash, clock } = sessionLab({ idleMs: 10_000 });
    await bash("one");
    const { promise, resolve } = Promise.withResolvers<void>();
    const sandbox = provider.at(1);
    sandbox.stop = async () => {
      await promise;
      sandbox.die();
    };
    await clock.pass(10_000);
    expect(session.state).toBe("draining");
    const running = bash("two");
    await settle();
    expect(provider.created).toHaveLength(1);
    resolve();
    await running;
    expect(provider.at(2).commands).toHaveLength(1);
  });
});

describe("L8: a sandbox is not ended", () => {
  it("while a process runs in the background", async () => {
    const { session, provider, clock } = sessionLab({ idleMs: 10_000 });
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
    await session.startBackground(background);
    await clock.pass(3_600_000);
    expect(provider.alive).toEqual(["sbx_1"]);
    expect(session.liveWork).toEqual({ call: 0, background: 1 });
    await session.killBackground("dev");
    await clock.pass(10_000);
    expect(provider.alive).toEqual([]);
  });

  it("while a call waits for its probe", async () => {
    const { provider, bash, clock } = sessionLab({ idleMs: 1000 });
    await bash("one");
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.at(1).probe = () => promise;
    const running = bash("two");
    await clock.pass(60_000);
    expect(provider.at(1).stops).toBe(0);
    resolve();
    await running;
    expect(provider.at(1).commands).toHaveLength(2);
  });

  it("while a command runs", async () => {
    const { session, provider, bash, clock } = sessionLab({ idleMs: 1000 });
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
    const running = bash("one");
    await clock.pass(60_000);
    expect(session.liveWork).toEqual({ call: 1, background: 0 });
    expect(provider.alive).toEqual(["sbx_1"]);
    provider.at(1).running[0]?.end(0);
    await running;
  });
});
