import { describe, expect, it } from "vitest";
import { settle } from "../support/fake-clock.ts";
import { FakeProvider, intentOf } from "../support/fake-provider.ts";
import { earlier, NEVER, RANK, sessionLab } from "../support/session-lab.ts";

const narrower = intentOf(RANK - 1);
const wider = intentOf(RANK + 1);

describe("a turn with another policy", () => {
  it("that is narrower runs in the same sandbox, held to the narrower one", async () => {
    const { provider, session, bash, tool } = sessionLab();
    await bash("one");
    session.useIntent(narrower);
    await bash("two");
    await tool("writeFile", { path: "a", content: "a" });
    expect(provider.created).toHaveLength(1);
    expect(provider.at(1).intents).toEqual([intentOf(RANK), narrower, narrower]);
  });

  it("may do again what the sandbox was made for", async () => {
    const { provider, session, bash } = sessionLab();
    await bash("one");
    session.useIntent(narrower);
    await bash("two");
    session.useIntent(intentOf(RANK));
    await bash("three");
    expect(provider.created).toHaveLength(1);
  });

  it("that is wider gets a new sandbox, the old one is ended and the model is told once", async () => {
    const { provider, session, bash, tool, told } = sessionLab();
    await bash("one");
    session.useIntent(wider);
    const { notice } = await tool("bash", { command: "two" });
    expect(notice).toContain("that the earlier sandbox was not for");
    expect((await tool("bash", { command: "three" })).notice).toBeNull();
    expect(provider.created.map(({ intent }) => intent)).toEqual([intentOf(RANK), wider]);
    expect(provider.alive).toEqual(["sbx_2"]);
    expect(session.generation).toBe(2);
    expect(told.map((one) => one?.reference.generation)).toEqual([1, 2]);
  });

  it("that is wider waits for calls in the old sandbox before that is ended", async () => {
    const { provider, session, bash } = sessionLab();
    provider.onCreate = (sandbox) => {
      if (sandbox.id === "sbx_1") sandbox.script = () => ({ exitCode: null });
    };
    const first = bash("one");
    await settle();
    session.useIntent(wider);
    const second = bash("two");
    await settle();
    expect(session.state).toBe("draining");
    expect(provider.at(1).stops).toBe(0);
    provider.at(1).running[0]?.end(0);
    await expect(first).resolves.toMatchObject({ exitCode: 0 });
    await expect(second).resolves.toMatchObject({ exitCode: 0 });
    expect(provider.alive).toEqual(["sbx_2"]);
  });

  it("keeps the old sandbox when whoever needs the wider one gives up", async () => {
    const { provider, session, bash } = sessionLab();
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
    const first = bash("one");
    await settle();
    session.useIntent(wider);
    const giveUp = new AbortController();
    const second = bash("two", giveUp.signal);
    await settle();
    giveUp.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    provider.at(1).running[0]?.end(0);
    await expect(first).resolves.toMatchObject({ exitCode: 0 });
    session.useIntent(intentOf(RANK));
    await session.acquire({ by: "bash", signal: NEVER });
    expect(provider.created).toHaveLength(1);
  });
});

describe("a call that waits while the policy changes", () => {
  it("is not held to less than it was asked under", async () => {
    const { provider, session, bash, tool } = sessionLab();
    session.useIntent(narrower);
    const asked = [
      bash("one"),
      ...[tool("readFile", { path: "a" }), tool("attachFile", { path: "a" })],
      ...[tool("grep", { pattern: "a" }), tool("writeFile", { path: "a", content: "a" })],
    ];
    session.useIntent(wider);
    await Promise.allSettled([...asked, bash("two")]);
    const { intents } = provider.at(2);
    expect(intents).toHaveLength(asked.length + 1);
    expect(intents.filter((intent) => intent !== narrower)).toEqual([wider]);
  });

  it("is held to the narrower one that was set meanwhile", async () => {
    const { provider, session, bash } = sessionLab();
    const one = bash("one");
    session.useIntent(narrower);
    await one;
    expect(provider.at(1).intents).toEqual([narrower]);
  });

  it("is refused where neither lies within the other", async () => {
    const { provider, session, bash } = sessionLab();
    const one = bash("one");
    provider.onCreate = (sandbox) => {
      sandbox.isWithin = async () => false;
    };
    session.useIntent(wider);
    await expect(one).rejects.toMatchObject({
      code: "forbidden",
      message:
        'Cannot get a sandbox for "bash": the policy was changed meanwhile to one that it cannot be held to as well, expected the one that it was asked under. Ask again',
    });
    await bash("two");
    expect(provider.at(2).intents).toEqual([wider]);
  });
});

describe("a change that waits for another while the policy changes", () => {
  it.each([
    ["the narrower one that was set meanwhile", narrower, narrower],
    ["what it was asked under, where a wider one was set", wider, intentOf(RANK)],
  ])("is held to %s", async (_, set, held) => {
    const { provider, session, tool } = sessionLab();
    const gate = Promise.withResolvers<void>();
    provider.onCreate = (sandbox) => {
      const write = sandbox.writeFiles.bind(sandbox);
      sandbox.writeFiles = async (files, under) => {
        if (sandbox.files.size === 0) await gate.promise;
        return write(files, under);
      };
    };
    const first = tool("writeFile", { path: "a", content: "a" });
    const second = tool("writeFile", { path: "b", content: "b" });
    await settle();
    session.useIntent(set);
    gate.resolve();
    await Promise.all([first, second]);
    expect(provider.made.flatMap(({ intents }) => intents)).toEqual([intentOf(RANK), held]);
  });
});

describe("a reference made under another policy", () => {
  it("L3: of which the turn is a part is reused, held to the turn's own", async () => {
    const provider = new FakeProvider();
    const { bash } = sessionLab({ remembered: earlier(provider, RANK + 1) }, provider);
    await bash("true");
    expect(provider.created).toEqual([]);
    expect(provider.at(1).intents).toEqual([intentOf(RANK)]);
  });

  it("case 12, L2: that allows less is not used: nothing runs in it, and it is ended", async () => {
    const provider = new FakeProvider();
    const { bash, session } = sessionLab({ remembered: earlier(provider, RANK - 1) }, provider);
    await bash("true");
    expect(provider.at(1).commands).toEqual([]);
    expect(provider.alive).toEqual(["sbx_2"]);
    expect(session.reference()).toMatchObject({ boundDigest: `digest-${RANK}`, generation: 4 });
  });

  it("L2: is not believed where the sandbox says another digest", async () => {
    const provider = new FakeProvider();
    const { reference } = earlier(provider, RANK - 1);
    const remembered = { reference, base: intentOf(RANK + 1) };
    const { bash } = sessionLab({ remembered }, provider);
    await bash("true");
    expect(provider.at(1).commands).toEqual([]);
    expect(provider.alive).toEqual(["sbx_2"]);
  });

  it.each([
    ["the same", RANK, 0],
    ["a wider one", RANK + 1, 1],
  ])("without what it was made under is good for %s only by its digest", async (_, rank, made) => {
    const provider = new FakeProvider();
    const { reference } = earlier(provider, rank);
    const { bash } = sessionLab({ remembered: { reference, base: null } }, provider);
    await bash("true");
    expect(provider.created).toHaveLength(made);
  });
});
