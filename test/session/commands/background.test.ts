import { describe, expect, it } from "vitest";
import { settle } from "../support/fake-clock.ts";
import { NEVER, sessionLab } from "../support/session-lab.ts";

const call = (name: string) => ({ name, by: "test", argv: ["serve"] as const, signal: NEVER });

function lab() {
  const made = sessionLab();
  made.provider.onCreate = (sandbox) => {
    sandbox.script = () => ({ stdout: "listening\n", exitCode: null });
  };
  return made;
}

describe("a process in the background", () => {
  it("is named, listed and readable while it runs", async () => {
    const { session } = lab();
    await session.startBackground(call("dev"));
    await settle();
    expect(session.background()).toEqual([
      { name: "dev", generation: 1, startedAt: 1000, state: "running", exitCode: null },
    ]);
    expect(session.readBackground("dev")).toBe("listening\n");
  });

  it("stays listed with its status when it has ended, and its name is free", async () => {
    const { session, provider } = lab();
    await session.startBackground(call("dev"));
    provider.at(1).running[0]?.end(2);
    await settle();
    expect(session.background()).toMatchObject([{ name: "dev", state: "exited", exitCode: 2 }]);
    expect(session.readBackground("dev")).toBe("listening\n");
    await session.startBackground(call("dev"));
    expect(session.background()).toMatchObject([{ name: "dev", state: "running" }]);
  });

  it("is killed with all it started, and killing it again does nothing", async () => {
    const { session, provider } = lab();
    await session.startBackground(call("dev"));
    await session.killBackground("dev");
    expect(provider.at(1).running[0]?.isKilled).toBe(true);
    expect(session.background()).toMatchObject([{ state: "exited", exitCode: 137 }]);
    await session.killBackground("dev");
    expect(session.liveWork.background).toBe(0);
  });

  it("has a name that nothing else that runs, or is being started, has", async () => {
    const { session, provider } = lab();
    const [one, two] = await Promise.allSettled([
      session.startBackground(call("dev")),
      session.startBackground(call("dev")),
    ]);
    expect(one.status).toBe("fulfilled");
    expect(two).toMatchObject({ status: "rejected", reason: { code: "exists" } });
    expect(provider.at(1).commands).toHaveLength(1);
  });

  it.each(["", "a b", "../x", "-x", "x".repeat(65)])("refuses the name %j", async (name) => {
    const { session, provider } = lab();
    const start = session.startBackground(call(name));
    await expect(start).rejects.toMatchObject({ code: "invalidInput" });
    expect(provider.created).toEqual([]);
  });

  it("that nobody wants any more is ended, and counts for nothing", async () => {
    const { session, provider } = lab();
    const stop = new AbortController();
    provider.onCreate = (sandbox) => {
      sandbox.script = () => {
        stop.abort();
        return { stdout: "", exitCode: null };
      };
    };
    const started = session.startBackground({ ...call("dev"), signal: stop.signal });
    await expect(started).rejects.toMatchObject({ code: "aborted" });
    expect(session.background()).toEqual([]);
    expect(provider.at(1).running.map(({ isKilled }) => isKilled)).toEqual([true]);
  });

  it("that is not known is a refusal", async () => {
    const { session } = lab();
    expect(() => session.readBackground("dev")).toThrow('Cannot find the background process "dev"');
    await expect(session.killBackground("dev")).rejects.toMatchObject({ code: "notFound" });
  });

  it("that could not be started leaves its name free and no work", async () => {
    const { session, provider } = lab();
    provider.faults.create.push(new Error("no"));
    await expect(session.startBackground(call("dev"))).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(session.liveWork).toEqual({ call: 0, background: 0 });
    await session.startBackground(call("dev"));
  });

  it("does not fill the list: only the last that ended are kept", async () => {
    const { session, provider } = lab();
    for (let number = 0; number < 40; number += 1) {
      await session.startBackground(call(`p${number}`));
      provider.at(1).running.at(-1)?.end(0);
      await settle();
    }
    expect(session.background().length).toBeLessThanOrEqual(33);
    expect(session.background().at(-1)?.name).toBe("p39");
  });
});
