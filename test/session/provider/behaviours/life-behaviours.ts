/** How sandboxes are made, found, compared and ended. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { uriOfNative } from "../../../../src/policy/index.ts";
import type { MakeLab, ProviderOptions } from "../provider-contract.ts";
import { processesWith } from "../support/processes-with.ts";
import { NEVER, outcomeOf, wordsOf } from "../support/sandbox-of.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });

export function lifeBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { hasPlaces } = options;
  const { filesUnder, intentIn, sandboxOf, scriptOf } = wordsOf(options.intentIn);

  it("makes a sandbox that answers, is found by its thread and listed", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    await sandbox.probe(NEVER);
    expect(sandbox.cwd).toBe(uriOfNative(workspace));
    const found = await provider.get(sandbox.id, { thread: "thread-1", signal: NEVER });
    await found.probe(NEVER);
    expect(await provider.list()).toMatchObject([
      { id: sandbox.id, thread: "thread-1", status: "running" },
    ]);
    await sandbox.stop();
  });

  it("L2: gives a sandbox to no other thread, and finds none that was not made", async () => {
    const { provider, workspace } = await make();
    const { id, stop } = await sandboxOf(provider, workspace).then((sandbox) => ({
      id: sandbox.id,
      stop: () => sandbox.stop(),
    }));
    const other = { thread: "thread-2", signal: NEVER };
    await expect(provider.get(id, other)).rejects.toMatchObject(codeOf("forbidden"));
    await expect(provider.get(`${id}x`, other)).rejects.toMatchObject(codeOf("missing"));
    await stop();
  });

  it("names the policy of a sandbox and tells what is within it", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const [write, read] = [intentIn(workspace), intentIn(workspace, "read-only")];
    expect(await sandbox.digestOf(write)).toBe(sandbox.boundDigest);
    expect(await sandbox.digestOf(read)).not.toBe(sandbox.boundDigest);
    expect(await sandbox.isWithin(write, write)).toBe(true);
    expect(await sandbox.isWithin(read, write)).toBe(hasPlaces);
    expect(await sandbox.isWithin(write, read)).toBe(false);
    await sandbox.stop();
  });

  it("makes none whose policy cannot be kept there", async () => {
    const { provider, workspace } = await make();
    const intent = intentIn("C:\\work");
    const request = { thread: "t", intent, workspace: uriOfNative(workspace), signal: NEVER };
    await expect(provider.create(request)).rejects.toMatchObject(codeOf("forbidden"));
    expect(await provider.list()).toEqual([]);
  });

  it("makes none for whoever has left", async () => {
    const { provider, workspace } = await make();
    const intent = intentIn(workspace);
    const signal = AbortSignal.abort();
    const request = { thread: "t", intent, workspace: uriOfNative(workspace), signal };
    await expect(provider.create(request)).rejects.toMatchObject(codeOf("aborted"));
    expect(await provider.list()).toEqual([]);
  });

  it("ends all that runs in it when it is stopped, and is over for good", async () => {
    const { provider, workspace } = await make();
    const [sandbox, other] = await Promise.all([
      sandboxOf(provider, workspace),
      sandboxOf(provider, workspace, "thread-2"),
    ]);
    const mark = `writ-mark-${sandbox.id}`;
    const command = await sandbox.runCommand(
      scriptOf(`sh -c 'while :; do sleep 1; done' ${mark} & wait`, workspace),
    );
    await expect.poll(() => processesWith(mark).length).toBeGreaterThan(0);
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    expect(processesWith(mark)).toEqual([]);
    await expect(command.ended).rejects.toMatchObject(codeOf("interrupted"));
    await sandbox.stop();
    const under = filesUnder(workspace);
    for (const one of [
      sandbox.probe(NEVER),
      sandbox.runCommand(scriptOf("touch ran", workspace)),
      sandbox.readFileToBuffer("a", under),
      sandbox.writeFiles([{ path: "written", content: Buffer.from("a") }], under),
      sandbox.extendTimeout(1000),
    ]) {
      await expect(one).rejects.toMatchObject(codeOf("stopped"));
    }
    const gone = await provider.get(sandbox.id, { thread: "thread-1", signal: NEVER });
    await expect(gone.probe(NEVER)).rejects.toMatchObject(codeOf("stopped"));
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
    expect(existsSync(path.join(workspace, "written"))).toBe(false);
    await expect(
      outcomeOf(await other.runCommand(scriptOf("echo on", workspace))),
    ).resolves.toMatchObject({ stdout: "on\n", exitCode: 0 });
    await other.stop();
  });

  it("adds to its time, and not once it is over", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const { expiresAt } = sandbox;
    await sandbox.extendTimeout(60_000);
    await sandbox.extendTimeout(30_000);
    expect(sandbox.expiresAt).toBe(expiresAt === null ? null : expiresAt + 90_000);
    for (const ms of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(sandbox.extendTimeout(ms)).rejects.toMatchObject(codeOf("invalidInput"));
    }
    await sandbox.stop();
    await expect(sandbox.extendTimeout(1000)).rejects.toMatchObject(codeOf("stopped"));
  });
}
