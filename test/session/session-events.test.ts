import { describe, expect, it } from "vitest";
import { FakeProvider, over } from "./support/fake-provider.ts";
import { earlier, sessionLab } from "./support/session-lab.ts";

const SECRET = "curl -H 'Authorization: hunter2' https://example.test";

describe("the events of a session", () => {
  it("tell of a boot by which tool, of what was acquired and how long that took", async () => {
    const { events, clock, provider, bash, session } = sessionLab();
    provider.gate = clock.pass(250);
    await bash(SECRET);
    await session.dispose();
    const named = { thread: "thread-1", id: "sbx_1", generation: 1 };
    expect(events).toEqual([
      { kind: "bootRequested", by: "bash", thread: "thread-1" },
      { kind: "probed", problem: null, durationMs: 0, ...named },
      { kind: "acquired", origin: "fresh", durationMs: 250, ...named },
      { kind: "released", isStopped: true, ...named },
    ]);
  });

  it("tell of one that was reused, and of one that was lost", async () => {
    const provider = new FakeProvider();
    const { events, bash } = sessionLab({ remembered: earlier(provider) }, provider);
    await bash("one");
    provider.at(1).faults.probe.push(over());
    await bash("two");
    expect(events.map(({ kind }) => kind)).toEqual([
      ...["bootRequested", "probed", "acquired"],
      ...["probed", "lost", "probed", "acquired"],
    ]);
    expect(events.filter(({ kind }) => kind === "acquired")).toMatchObject([
      { origin: "reused", id: "sbx_old", generation: 3 },
      { origin: "fresh", id: "sbx_2", generation: 4 },
    ]);
    expect(events[3]).toMatchObject({ problem: "stopped" });
    expect(events[4]).toMatchObject({ kind: "lost", id: "sbx_old", code: "stopped" });
  });

  it("tell of one that was let go and still lives", async () => {
    const { events, bash, session } = sessionLab();
    await bash("one");
    await session.release();
    expect(events.at(-1)).toMatchObject({ kind: "released", isStopped: false });
  });

  it("hold neither commands nor output", async () => {
    const { events, provider, bash } = sessionLab();
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ stdout: "hunter2" });
    };
    await bash(SECRET);
    expect(JSON.stringify(events)).not.toContain("hunter2");
  });

  it("do no harm through a listener that throws", async () => {
    const { bash, session, provider } = sessionLab({
      onEvent: () => {
        throw new Error("log is full");
      },
    });
    await expect(bash("one")).resolves.toMatchObject({ ok: true });
    await session.dispose();
    expect(provider.alive).toEqual([]);
  });
});
