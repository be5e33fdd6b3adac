import { describe, expect, it } from "vitest";
import { SessionError } from "../../../src/session/session-error.ts";
import { FakeProvider, intentOf, over } from "../support/fake-provider.ts";
import { earlier, NEVER, RANK, sessionLab } from "../support/session-lab.ts";

const request = { by: "bash", signal: NEVER };

describe("a session that nobody uses", () => {
  it("case 1: asks nothing of the provider and knows of no sandbox", async () => {
    const { session, provider } = sessionLab();
    expect(session.tools.supports("bash")).toBe(true);
    expect(session.reference()).toBeUndefined();
    expect(session.state).toBe("absent");
    expect([...provider.created, ...provider.found]).toEqual([]);
  });

  it("case 9, 10: hands the reference on and opens nothing, also when it is disposed", async () => {
    const provider = new FakeProvider();
    const remembered = earlier(provider);
    const { session, told } = sessionLab({ remembered }, provider);
    expect(session.reference()).toEqual(remembered.reference);
    await session.dispose();
    expect(session.reference()).toEqual(remembered.reference);
    expect([provider.created, provider.found, told]).toEqual([[], [], []]);
    expect(provider.at(1).stops).toBe(0);
  });
});

describe("the first call", () => {
  it("case 19: makes one sandbox, probes it and runs the command in it once", async () => {
    const { session, provider, bash } = sessionLab();
    await bash("true");
    expect(provider.created).toHaveLength(1);
    expect(provider.at(1).probes).toBe(1);
    expect(provider.at(1).commands).toHaveLength(1);
    expect(session.generation).toBe(1);
  });

  it("case 4: a file that is attached takes one acquisition", async () => {
    const { provider, tool } = sessionLab();
    provider.onCreate = ({ files }) => files.set("a.txt", Buffer.from("a"));
    await tool("attachFile", { path: "a.txt" });
    expect(provider.created).toHaveLength(1);
    expect(provider.at(1).probes).toBe(1);
  });

  it("case 17, 20: probes before the next one and reports nothing twice", async () => {
    const { provider, told, bash } = sessionLab();
    await bash("true");
    await bash("true");
    expect(provider.created).toHaveLength(1);
    expect(provider.at(1).probes).toBe(2);
    expect(told).toHaveLength(1);
  });

  it("case 5, 6, 7: leaves a reference that was reported once, whatever fails after it", async () => {
    const { session, provider, told, bash } = sessionLab();
    provider.onCreate = ({ faults }) => faults.run.push(new SessionError("forbidden", "no"));
    await expect(bash("true")).rejects.toMatchObject({ code: "forbidden" });
    const reference = {
      ...{ id: "sbx_1", boundDigest: `digest-${RANK}`, generation: 1 },
      dependencies: null,
    };
    expect(session.reference()).toEqual(reference);
    expect(told).toEqual([{ reference, base: intentOf(RANK) }]);
  });

  it("case 33: reports the id before anything is prepared, and goes on with that sandbox", async () => {
    const order: string[] = [];
    const faults = [new SessionError("unavailable", "not now")];
    const { provider, bash } = sessionLab({
      onReference: async () => void order.push("told"),
      prepare: async () => {
        order.push("prepared");
        const fault = faults.shift();
        if (fault) throw fault;
      },
    });
    await expect(bash("true")).rejects.toMatchObject({ code: "unavailable" });
    await bash("true");
    await bash("true");
    expect(order).toEqual(["told", "prepared", "prepared"]);
    expect(provider.created).toHaveLength(1);
  });

  it("case 33: reports the id also where the first probe says nothing", async () => {
    const { provider, told, bash } = sessionLab();
    provider.onCreate = ({ faults }) => faults.probe.push(new SessionError("unavailable", "no"));
    await expect(bash("true")).rejects.toMatchObject({ code: "unavailable" });
    expect(told.map((one) => one?.reference.id)).toEqual(["sbx_1"]);
    await bash("true");
    expect(provider.created).toHaveLength(1);
  });

  it("case 31: keeps a sandbox whose preparation failed where a dispose finds it", async () => {
    const { session, provider, bash } = sessionLab({
      prepare: async () => {
        throw new Error("upload failed");
      },
    });
    await expect(bash("true")).rejects.toMatchObject({ code: "unavailable" });
    await session.dispose();
    expect(provider.alive).toEqual([]);
  });

  it("case 32: a report that is refused surfaces; the next call reports the same sandbox", async () => {
    const told: unknown[] = [];
    const failure = new Error("store is down");
    const { session, provider } = sessionLab({
      onReference: async (remembered) => {
        told.push(remembered?.reference.id);
        if (told.length === 1) throw failure;
      },
    });
    await expect(session.acquire(request)).rejects.toBe(failure);
    expect(session.state).not.toBe("ready");
    await expect(session.acquire(request)).resolves.toEqual({ id: "sbx_1", generation: 1 });
    expect(told).toEqual(["sbx_1", "sbx_1"]);
    expect(provider.created).toHaveLength(1);
  });

  it("does not keep a failure: the next call tries again", async () => {
    const { provider, bash } = sessionLab();
    provider.faults.create.push(new SessionError("unavailable", "no"));
    await expect(bash("true")).rejects.toMatchObject({ code: "unavailable" });
    await expect(bash("true")).resolves.toMatchObject({ ok: true });
  });

  it("L5: never says that a new one is ready when it is dead, and makes no third", async () => {
    const { session, provider } = sessionLab();
    provider.onCreate = (sandbox) => sandbox.die();
    await expect(session.acquire(request)).rejects.toMatchObject({ code: "stopped" });
    expect(session.state).toBe("lost");
    expect(provider.created).toHaveLength(1);
  });
});

describe("a reference from an earlier turn", () => {
  it("case 18: is found, probed and used; its keeper is told nothing new", async () => {
    const provider = new FakeProvider();
    const { session, told, bash } = sessionLab({ remembered: earlier(provider) }, provider);
    await bash("true");
    expect(provider.found).toEqual(["sbx_old"]);
    expect(provider.created).toEqual([]);
    expect(provider.at(1).probes).toBe(1);
    expect(told).toEqual([]);
    expect(session.generation).toBe(3);
  });

  it("case 11: whose sandbox is over is replaced once", async () => {
    const provider = new FakeProvider();
    const remembered = earlier(provider);
    provider.at(1).die();
    const { session, told } = sessionLab({ remembered }, provider);
    await expect(session.acquire(request)).resolves.toEqual({ id: "sbx_2", generation: 4 });
    expect(provider.found).toEqual(["sbx_old"]);
    expect(provider.created).toHaveLength(1);
    expect(told.map((one) => one?.reference.id)).toEqual(["sbx_2"]);
  });

  it.each(["missing", "stopped"] as const)("case 16: %s is replaced", async (code) => {
    const provider = new FakeProvider();
    const { bash, session } = sessionLab({ remembered: earlier(provider) }, provider);
    provider.faults.get.push(new SessionError(code, "gone"));
    await bash("true");
    expect(session.reference()).toMatchObject({ id: "sbx_2", generation: 4 });
  });

  it.each(["unavailable", "forbidden", "timeout", "stopping", "snapshotting"] as const)(
    "case 14, 15, D9: %s surfaces and the reference is kept",
    async (code) => {
      const provider = new FakeProvider();
      const remembered = earlier(provider);
      const { bash, session } = sessionLab({ remembered }, provider);
      provider.faults.get.push(new SessionError(code, "no"));
      await expect(bash("true")).rejects.toMatchObject({ code });
      expect(provider.created).toEqual([]);
      expect(session.reference()).toEqual(remembered.reference);
      await bash("true");
      expect(provider.created).toEqual([]);
    },
  );

  it("D9: an error that is not a session error says nothing about the sandbox", async () => {
    const provider = new FakeProvider();
    const { bash } = sessionLab({ remembered: earlier(provider) }, provider);
    provider.faults.get.push(new Error("404 sandbox_stopped no longer available"));
    await expect(bash("true")).rejects.toMatchObject({ code: "unavailable" });
    expect(provider.created).toEqual([]);
  });
});

describe("a sandbox at hand", () => {
  it("case 23: is kept when its probe fails for a reason that says nothing", async () => {
    const { provider, bash } = sessionLab();
    await bash("true");
    provider.at(1).faults.probe.push(new SessionError("unavailable", "500"));
    await expect(bash("true")).rejects.toMatchObject({ code: "unavailable" });
    await bash("true");
    expect(provider.created).toHaveLength(1);
    expect(provider.at(1).commands).toHaveLength(2);
  });

  it("case 22: is not judged by the words of an error, D11", async () => {
    const { provider, bash } = sessionLab();
    await bash("true");
    provider.at(1).faults.probe.push(new SessionError("unavailable", "sandbox_stopped status=410"));
    await expect(bash("true")).rejects.toMatchObject({ code: "unavailable" });
    expect(provider.created).toHaveLength(1);
  });

  it("case 21: that is over is replaced before the command, which runs in the new one only", async () => {
    const { provider, bash, session } = sessionLab();
    await bash("one");
    provider.at(1).faults.probe.push(over());
    await bash("two");
    expect(provider.at(1).commands).toHaveLength(1);
    expect(provider.at(2).commands).toHaveLength(1);
    expect(session.generation).toBe(2);
  });
});

describe("what is stored", () => {
  it("D4: null and undefined are told apart, and both lead to one new sandbox", async () => {
    for (const remembered of [null, undefined]) {
      const { session, provider, bash, told } = sessionLab({ remembered });
      expect(session.reference()).toBe(remembered);
      await bash("true");
      await bash("true");
      expect(provider.created).toHaveLength(1);
      expect(told).toHaveLength(1);
    }
  });

  it("D4: what was stored after a replacement is reused by the following turns", async () => {
    const provider = new FakeProvider();
    let remembered: Parameters<typeof sessionLab>[0] = { remembered: earlier(provider, 1) };
    for (let turn = 0; turn < 3; turn += 1) {
      const lab = sessionLab(remembered, provider);
      await lab.bash("true");
      await lab.session.release();
      if (lab.told.length > 0) remembered = { remembered: lab.told.at(-1) ?? null };
    }
    expect(provider.created).toHaveLength(1);
  });
});
