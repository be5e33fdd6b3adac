import { describe, expect, it } from "vitest";
import { SessionError } from "../../../src/session/session-error.ts";
import { settle } from "../support/fake-clock.ts";
import { over } from "../support/fake-provider.ts";
import { NEVER, sessionLab } from "../support/session-lab.ts";

describe("a sandbox that dies", () => {
  it("case 35: during a command fails that command, which is not run again", async () => {
    const { provider, bash, tool } = sessionLab();
    provider.onCreate = (sandbox) => {
      if (sandbox.id === "sbx_1") sandbox.script = () => ({ exitCode: null });
    };
    const running = bash("one");
    await settle();
    provider.at(1).die();
    await expect(running).rejects.toMatchObject({ code: "interrupted" });
    const { value, notice } = await tool("bash", { command: "two" });
    expect(value).toMatchObject({ ok: true });
    expect(notice).toContain("Files outside the workspace");
    expect(provider.made.map(({ commands }) => commands.map(({ argv }) => argv[2]))).toEqual([
      ["one"],
      ["two"],
    ]);
  });

  it("is said to have taken the workspace along where its provider does not keep that", async () => {
    const { provider, bash, tool } = sessionLab();
    provider.keepsWorkspace = false;
    await bash("one");
    provider.at(1).die();
    const { notice } = await tool("bash", { command: "two" });
    expect(notice).toContain("those of the workspace too");
    expect(notice).not.toContain("outside the workspace");
  });

  it("case 36: when a command is begun fails it as unknown, even though it may not have run", async () => {
    const { provider, bash, session } = sessionLab();
    await bash("one");
    provider.at(1).faults.run.push(over());
    await expect(bash("two")).rejects.toMatchObject({ code: "interrupted" });
    expect(session.state).toBe("lost");
    await bash("three");
    expect(provider.at(2).commands.map(({ argv }) => argv[2])).toEqual(["three"]);
  });

  it("is said to be lost once, by the first result after it", async () => {
    const { provider, bash, tool } = sessionLab();
    await bash("one");
    provider.at(1).die();
    await expect(tool("readFile", { path: "none" })).rejects.toMatchObject({ code: "notFound" });
    expect((await tool("listDir", {})).notice).toContain("lost");
    expect((await tool("listDir", {})).notice).toBeNull();
  });

  it("case 34: and is heard of late does not touch the one that replaced it", async () => {
    const { provider, bash, session } = sessionLab();
    provider.onCreate = (sandbox) => {
      if (sandbox.id === "sbx_1") sandbox.script = () => ({ exitCode: null });
    };
    const late = bash("one");
    await settle();
    provider.at(1).faults.probe.push(over());
    provider.at(1).stop = async () => {};
    await bash("two");
    provider.at(1).running[0]?.fail(over());
    await expect(late).rejects.toMatchObject({ code: "interrupted" });
    expect(session.state).toBe("idle");
    await bash("three");
    expect(provider.created).toHaveLength(2);
    expect(provider.at(2).commands).toHaveLength(2);
  });

  it("is not taken for dead when a stream was interrupted and its probe succeeds", async () => {
    const { provider, bash, session } = sessionLab();
    await bash("one");
    provider.at(1).script = () => ({ fails: new SessionError("interrupted", "connection reset") });
    await expect(bash("two")).rejects.toMatchObject({ code: "interrupted" });
    provider.at(1).script = () => ({});
    await bash("three");
    expect(provider.created).toHaveLength(1);
    expect(session.generation).toBe(1);
  });

  it("during a write fails it as unknown and drops that sandbox only", async () => {
    const { provider, tool, session } = sessionLab();
    await session.acquire({ by: "writeFile", signal: NEVER });
    provider.at(1).faults.file.push(over());
    await expect(tool("writeFile", { path: "a", content: "a" })).rejects.toMatchObject({
      code: "interrupted",
    });
    await tool("writeFile", { path: "a", content: "a" });
    expect(provider.at(1).files.size).toBe(0);
    expect(provider.at(2).files.get("a")?.toString()).toBe("a");
  });

  it("takes its background processes along, and says so", async () => {
    const { provider, session } = sessionLab();
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
    await session.startBackground({ name: "dev", by: "test", argv: ["serve"], signal: NEVER });
    provider.at(1).die();
    await settle();
    expect(session.background()).toMatchObject([{ name: "dev", state: "lost", exitCode: null }]);
    expect(session.liveWork).toEqual({ call: 0, background: 0 });
  });
});

describe("an error that a model sees", () => {
  const leaks = 'GET https://provider.test/v1/sandboxes/sbx_1 token=abc body={"error":"x"}';

  it.each(["unavailable", "forbidden", "stopped", "exists", "interrupted"] as const)(
    "D10: %s holds nothing of what the provider said",
    async (code) => {
      const { provider, tool, session } = sessionLab();
      await session.acquire({ by: "readFile", signal: NEVER });
      provider.at(1).faults.file.push(new SessionError(code, leaks));
      const error = await tool("readFile", { path: "a" }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(SessionError);
      expect(String(error)).not.toMatch(/provider\.test|token|body/);
      expect(String(error)).toMatch(/Cannot run "readFile": .*expected/);
    },
  );

  it("D10: holds nothing of what a keeper or a boot said", async () => {
    const fail = async () => {
      throw new Error(leaks);
    };
    for (const options of [{ onReference: fail }, { prepare: fail }]) {
      const { tool } = sessionLab(options);
      const error = await tool("listDir", {}).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: "unavailable" });
      expect(String(error)).not.toContain("provider.test");
    }
  });
});
