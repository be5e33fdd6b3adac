/** What runs in a sandbox. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { SandboxIntent } from "../../../../src/exec/index.ts";
import { uriOfNative } from "../../../../src/policy/index.ts";
import type { MakeLab, ProviderOptions } from "../provider-contract.ts";
import { processesWith } from "../support/processes-with.ts";
import { NEVER, outcomeOf, wordsOf } from "../support/sandbox-of.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });

export function commandBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { intentIn, sandboxOf, scriptOf } = wordsOf(options.intentIn);

  it("runs a command and tells all that it printed, its end and its receipt", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const script = 'echo "$A"; pwd; echo err >&2; exit 7';
    mkdirSync(path.join(workspace, "sub"));
    const env = { A: "a 'quoted' & word" };
    const command = await sandbox.runCommand(scriptOf(script, workspace, { env, cwd: "./sub" }));
    expect(await outcomeOf(command)).toEqual({
      stdout: `a 'quoted' & word\n${workspace}/sub\n`,
      stderr: "err\n",
      exitCode: 7,
      sandboxDenied: false,
      receiptId: expect.stringMatching(/^[0-9A-Z]{26}$/),
    });
    await sandbox.stop();
  });

  it("finds a command by its id as long as it runs, and opens no port of it to others", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const command = await sandbox.runCommand(scriptOf("sleep 600", workspace));
    expect(await sandbox.getCommand(command.id)).toBe(command);
    await expect(sandbox.getCommand("none")).rejects.toMatchObject(codeOf("notFound"));
    await expect(sandbox.domain(3000)).rejects.toMatchObject(codeOf("unsupported"));
    await command.kill();
    for await (const _ of command.output);
    await command.ended;
    await expect
      .poll(() => sandbox.getCommand(command.id).catch(({ code }) => code))
      .toBe("notFound");
    await sandbox.stop();
    await expect(sandbox.getCommand(command.id)).rejects.toMatchObject(codeOf("stopped"));
    await expect(sandbox.domain(3000)).rejects.toMatchObject(codeOf("stopped"));
  });

  it("L3: runs nothing under a policy that is wider than that of the sandbox", async () => {
    const { provider, workspace } = await make();
    const intent = intentIn(workspace, "read-only");
    const at = { workspace: uriOfNative(workspace), signal: NEVER };
    const sandbox = await provider.create({ thread: "thread-1", intent, ...at });
    const waived: SandboxIntent = { kind: "waived", by: "test", reason: "to get out" };
    for (const wider of [intentIn(workspace), waived]) {
      const request = scriptOf("touch ran", workspace, { intent: wider });
      await expect(sandbox.runCommand(request)).rejects.toMatchObject(codeOf("forbidden"));
      const under = { intent: wider, signal: NEVER };
      const writing = sandbox.writeFiles([{ path: "ran", content: Buffer.from("x") }], under);
      await expect(writing).rejects.toMatchObject(codeOf("forbidden"));
      await expect(sandbox.mkDir("ran", under)).rejects.toMatchObject(codeOf("forbidden"));
    }
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
    await sandbox.stop();
  });

  it("refuses an intent that cannot be kept before anything runs", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const request = scriptOf("touch ran", workspace, { intent: intentIn("C:\\work") });
    await expect(sandbox.runCommand(request)).rejects.toMatchObject(codeOf("forbidden"));
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
    await sandbox.stop();
  });

  it("ends a command with all that it started, and nothing else", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const mark = `writ-mark-${sandbox.id}`;
    const command = await sandbox.runCommand(
      scriptOf(`sh -c 'while :; do sleep 1; done' ${mark} & wait`, workspace),
    );
    await expect.poll(() => processesWith(mark).length).toBeGreaterThan(0);
    await command.kill();
    expect(await outcomeOf(command)).toMatchObject({ exitCode: 137 });
    expect(processesWith(mark)).toEqual([]);
    const next = await sandbox.runCommand(scriptOf("echo on", workspace));
    expect(await outcomeOf(next)).toMatchObject({ stdout: "on\n", exitCode: 0 });
    await sandbox.stop();
  });

  it("gives a command no input that was not asked for", async () => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const script = "read -r line; echo got $line";
    const closed = await sandbox.runCommand(scriptOf(script, workspace));
    expect(await outcomeOf(closed)).toMatchObject({ stdout: "got\n" });
    await sandbox.stop();
  });
}
