/** Rules for files, where a provider keeps them; where it does not, nothing is made under them. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SANDBOX_MODES, uriOfNative } from "../../../../src/policy/index.ts";
import type { MakeLab, ProviderOptions } from "../provider-contract.ts";
import { intentIn, NEVER, outcomeOf, wordsOf } from "../support/sandbox-of.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });
const text = (content: string) => Buffer.from(content);

export function ruledFileBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { filesUnder, sandboxOf, scriptOf } = wordsOf(options.intentIn);

  async function aLab() {
    const lab = await make();
    const sandbox = await sandboxOf(lab.provider, lab.workspace);
    onTestFinished(() => sandbox.stop());
    const at = (name: string) => path.resolve(lab.workspace, name);
    return { ...lab, sandbox, under: filesUnder(lab.workspace), at };
  }

  it("lets writes land in the workspace, and nowhere beside it", async () => {
    const { provider, workspace, outside } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const script = `echo in > inside; echo out > ${outside}/file; true`;
    await outcomeOf(await sandbox.runCommand(scriptOf(script, workspace)));
    expect(readFileSync(path.join(workspace, "inside"), "utf8")).toBe("in\n");
    expect(existsSync(path.join(outside, "file"))).toBe(false);
    await sandbox.stop();
  });

  it("removes nothing beside the workspace", async () => {
    const { sandbox, under, outside } = await aLab();
    writeFileSync(path.join(outside, "other"), "x");
    const beside = sandbox.remove([path.join(outside, "other")], under);
    await expect(beside).rejects.toMatchObject(codeOf("forbidden"));
    expect(existsSync(path.join(outside, "other"))).toBe(true);
  });

  it("takes away what a killed change of its thread left beside its files, and nothing else", async () => {
    const { sandbox, under, at } = await aLab();
    const left = (thread: string) => {
      const name = createHash("sha256").update(thread).digest("hex").slice(0, 16);
      return `.writ-${name}-0123456789abcdef`;
    };
    const files = [left("thread-1"), left("thread-2"), ".writ-own"];
    for (const name of files) writeFileSync(at(name), "half");
    const written = ["a", "b", "sub/c"].map((name) => ({ path: name, content: text(name) }));
    await Promise.all(written.map((file) => sandbox.writeFiles([file], under)));
    await expect
      .poll(() => readdirSync(at(".")))
      .toEqual([left("thread-2"), ".writ-own", "a", "b", "sub"].toSorted());
    expect(readFileSync(at("sub/c"), "utf8")).toBe("sub/c");
  });

  it("writes nothing where the policy does not let it, and leaves nothing behind", async () => {
    const { sandbox, under, at, outside, workspace } = await aLab();
    mkdirSync(at(".git"));
    const readOnly = filesUnder(workspace, "read-only");
    const write = (file: string, how = under) =>
      sandbox.writeFiles(
        [
          { path: "first", content: text("x") },
          { path: file, content: text("x") },
        ],
        how,
      );
    await expect(write(path.join(outside, "file"))).rejects.toMatchObject(codeOf("forbidden"));
    await expect(write(".git/config")).rejects.toMatchObject(codeOf("forbidden"));
    await expect(write("file", readOnly)).rejects.toMatchObject(codeOf("forbidden"));
    await expect(sandbox.mkDir("folder", readOnly)).rejects.toMatchObject(codeOf("forbidden"));
    await expect.poll(() => readdirSync(at("."))).toEqual([".git"]);
    expect([readdirSync(at(".git")), readdirSync(outside)]).toEqual([[], []]);
  });
}

export function unruledFileBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { sandboxOf, scriptOf } = wordsOf(options.intentIn);

  it.each(SANDBOX_MODES)("makes none under %s, which it cannot keep", async (mode) => {
    const { provider, workspace } = await make();
    const intent = intentIn(workspace, mode);
    const at = { thread: "thread-1", workspace: uriOfNative(workspace), signal: NEVER };
    await expect(provider.create({ ...at, intent })).rejects.toMatchObject(codeOf("forbidden"));
    expect(await provider.list()).toEqual([]);
  });

  it.each(SANDBOX_MODES)("runs nothing under %s, which it cannot keep", async (mode) => {
    const { provider, workspace } = await make();
    const sandbox = await sandboxOf(provider, workspace);
    const intent = intentIn(workspace, mode);
    const running = sandbox.runCommand(scriptOf("touch ran", workspace, { intent }));
    await expect(running).rejects.toMatchObject(codeOf("forbidden"));
    const under = { intent, signal: NEVER };
    await expect(sandbox.mkDir("ran", under)).rejects.toMatchObject(codeOf("forbidden"));
    await expect(sandbox.readFileToBuffer("a", under)).rejects.toMatchObject(codeOf("forbidden"));
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
    await sandbox.stop();
  });
}
