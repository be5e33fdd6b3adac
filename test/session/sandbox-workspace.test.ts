import { describe, expect, it } from "vitest";
import { SessionError } from "../../src/session/session-error.ts";
import { settle } from "./support/fake-clock.ts";
import { intentOf, over } from "./support/fake-provider.ts";
import { NEVER, RANK, sessionLab } from "./support/session-lab.ts";

/** Each sandbox has a file that names it. */
function lab() {
  const made = sessionLab();
  made.provider.onCreate = ({ id, files }) => files.set("id", Buffer.from(id));
  const read = async () => {
    const file = { path: "id", signal: NEVER };
    return (await made.session.workspace.readFileToBuffer(file))?.toString();
  };
  return { ...made, read };
}

describe("the workspace", () => {
  it("is lazy, and has an id once it was used", async () => {
    const { session, provider, read } = lab();
    const { workspace } = session;
    expect(workspace.id).toBeUndefined();
    expect(provider.created).toEqual([]);
    expect(await read()).toBe("sbx_1");
    expect(workspace.id).toBe("sbx_1");
  });

  it("case 37: reads from the sandbox that a tool got in place of the first", async () => {
    const { read, provider, bash, session } = lab();
    expect(await read()).toBe("sbx_1");
    provider.at(1).faults.probe.push(over());
    await bash("true");
    expect(await read()).toBe("sbx_2");
    expect(session.workspace.id).toBe("sbx_2");
  });

  it("case 38: is not pinned to a sandbox that was replaced while it booted", async () => {
    const { read, provider, bash, session } = lab();
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.gate = promise;
    const first = read();
    await settle();
    resolve();
    expect(await first).toBe("sbx_1");
    session.useIntent(intentOf(RANK + 1));
    await bash("true");
    expect(await read()).toBe("sbx_2");
    expect(provider.created).toHaveLength(2);
  });

  it("case 39: tries again after a boot that failed", async () => {
    const { read, provider } = lab();
    provider.faults.create.push(new SessionError("unavailable", "no"));
    await expect(read()).rejects.toMatchObject({ code: "unavailable" });
    expect(await read()).toBe("sbx_1");
  });

  it("case 40: shows its three members and nothing of the provider", async () => {
    const { session, provider } = lab();
    const { workspace } = session;
    expect(Reflect.ownKeys(workspace).sort()).toEqual(["id", "readFileToBuffer", "runCommand"]);
    expect(Object.getPrototypeOf(workspace)).toBe(Object.prototype);
    expect(Object.isFrozen(workspace)).toBe(true);
    const argv = ["printf", "%s", "a b"] as const;
    const result = await workspace.runCommand({ argv, cwd: "sub", env: { A: "1" }, signal: NEVER });
    expect(result.exitCode).toBe(0);
    expect(provider.at(1).commands).toMatchObject([{ argv, cwd: "sub", env: { A: "1" } }]);
    expect(JSON.stringify(Object.values(session))).not.toContain("sbx_1-1");
  });

  it("case 41: reads from a new sandbox after the first died, never what is stale", async () => {
    const { read, provider } = lab();
    await read();
    provider.at(1).die();
    expect(await read()).toBe("sbx_2");
  });

  it("case 41: fails with a code where nobody can say whether it lives", async () => {
    const { read, provider } = lab();
    await read();
    provider.at(1).faults.probe.push(new Error('{"error":"bad gateway"}'));
    await expect(read()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("says null for a file that is not there, and only then", async () => {
    const { session, provider, read } = lab();
    const missing = { path: "none", signal: NEVER };
    expect(await session.workspace.readFileToBuffer(missing)).toBeNull();
    provider.at(1).faults.file.push(new SessionError("forbidden", "no"));
    await expect(read()).rejects.toMatchObject({ code: "forbidden" });
  });
});
