/** Files of a sandbox, under the intent of whoever asks. */
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { downloadFile } from "../../../../src/session/provider/download-file.ts";
import type { MakeLab, ProviderOptions } from "../provider-contract.ts";
import { wordsOf } from "../support/sandbox-of.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });
const text = (content: string) => Buffer.from(content);

export function fileBehaviours(make: MakeLab, options: ProviderOptions): void {
  const { filesUnder, sandboxOf } = wordsOf(options.intentIn);

  /** What a command needs in the workspace stays there for a moment after it: so these wait. */
  async function aLab() {
    const lab = await make();
    const sandbox = await sandboxOf(lab.provider, lab.workspace);
    onTestFinished(() => sandbox.stop());
    return { ...lab, sandbox, under: filesUnder(lab.workspace), at: within(lab.workspace) };
  }

  it("is downloaded to a place of this machine where nothing is, and nowhere else", async () => {
    const { sandbox, under, outside } = await aLab();
    await sandbox.writeFiles([{ path: "tool", content: text("bytes"), mode: 0o755 }], under);
    const to = path.join(outside, "tool");
    expect(await downloadFile(sandbox, { path: "tool", to }, under)).toBe(true);
    expect(readFileSync(to, "utf8")).toBe("bytes");
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect(await downloadFile(sandbox, { path: "none", to: `${to}-2` }, under)).toBe(false);
    symlinkSync(path.join(outside, "elsewhere"), path.join(outside, "link"));
    for (const taken of [to, path.join(outside, "link")]) {
      const again = downloadFile(sandbox, { path: "tool", to: taken }, under);
      await expect(again).rejects.toMatchObject(codeOf("exists"));
    }
    expect(readdirSync(outside).sort()).toEqual(["link", "tool"]);
  });

  it("makes one folder at a time, and none where something is (cases 22, 53)", async () => {
    const { sandbox, under, at } = await aLab();
    await sandbox.mkDir("a", under);
    await sandbox.mkDir(at("a/b"), under);
    expect(lstatSync(at("a/b")).isDirectory()).toBe(true);
    await expect(sandbox.mkDir("a", under)).rejects.toMatchObject(codeOf("exists"));
    await expect(sandbox.mkDir("x/y", under)).rejects.toMatchObject(codeOf("notFound"));
  });

  it("writes files with the folders above them, byte for byte (case 59)", async () => {
    const { sandbox, under, at } = await aLab();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
    await sandbox.writeFiles(
      [
        { path: "a/b/bytes", content: bytes },
        { path: at("empty"), content: text("") },
        { path: "run me", content: text("#!/bin/sh\n"), mode: 0o755 },
      ],
      under,
    );
    expect(readFileSync(at("a/b/bytes")).equals(bytes)).toBe(true);
    expect(await sandbox.readFileToBuffer("a/b/bytes", under)).toEqual(bytes);
    expect(readFileSync(at("empty"), "utf8")).toBe("");
    expect(statSync(at("run me")).mode & 0o777).toBe(0o755);
    await expect.poll(() => readdirSync(at("."))).toEqual(["a", "empty", "run me"]);
  });

  it("removes files and empty folders, and only those that are there", async () => {
    const { sandbox, under, at } = await aLab();
    await sandbox.writeFiles([{ path: "folder/file", content: text("x") }], under);
    await expect(sandbox.remove(["folder"], under)).rejects.toMatchObject(codeOf("exists"));
    await sandbox.remove(["folder/file"], under);
    await sandbox.remove(["folder"], under);
    expect(existsSync(at("folder"))).toBe(false);
    await expect(sandbox.remove(["folder"], under)).rejects.toMatchObject(codeOf("notFound"));
  });

  it("removes links themselves and empty folders, and none where one is missing or full", async () => {
    const { sandbox, under, at } = await aLab();
    writeFileSync(at("-rf"), "x");
    writeFileSync(at("target"), "x");
    mkdirSync(at("full"));
    writeFileSync(at("full/file"), "x");
    mkdirSync(at("empty"));
    symlinkSync("full", at("link"));
    symlinkSync("nowhere", at("dangling"));
    const some = ["-rf", "target"];
    const absent = sandbox.remove([...some, "absent"], under);
    await expect(absent).rejects.toMatchObject(codeOf("notFound"));
    const full = sandbox.remove([...some, "full"], under);
    await expect(full).rejects.toMatchObject(codeOf("exists"));
    expect(some.map((name) => existsSync(at(name)))).toEqual([true, true]);
    await sandbox.remove([...some, "empty", "link", "dangling"], under);
    await expect.poll(() => readdirSync(at("."))).toEqual(["full"]);
    expect(existsSync(at("full/file"))).toBe(true);
  });

  it("gives a new file the mode of another that it is to be like, also of one that nobody may write", async () => {
    const { sandbox, under, at } = await aLab();
    for (const mode of [0o755, 0o600, 0o444]) {
      const [old, path] = [`old-${mode}`, `new/${mode}`];
      await sandbox.writeFiles([{ path: old, content: text("old"), mode }], under);
      await sandbox.writeFiles([{ path, content: text("new"), modeOf: old }], under);
      expect(readFileSync(at(path), "utf8")).toBe("new");
      expect(statSync(at(path)).mode & 0o777).toBe(mode);
    }
  });

  it("replaces a file as a whole, with its mode and through links", async () => {
    const { sandbox, under, at } = await aLab();
    await sandbox.writeFiles([{ path: "file", content: text("old"), mode: 0o640 }], under);
    symlinkSync("file", at("link"));
    const before = openSync(at("file"), "r");
    await sandbox.writeFiles([{ path: "link", content: text("new") }], under);
    const seen = Buffer.alloc(10);
    expect(seen.toString("utf8", 0, readSync(before, seen))).toBe("old");
    closeSync(before);
    expect(readFileSync(at("file"), "utf8")).toBe("new");
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(statSync(at("file")).mode & 0o777).toBe(0o640);
    await expect.poll(() => readdirSync(at("."))).toEqual(["file", "link"]);
  });

  it("does not replace a file that the user of the sandbox may not write", async () => {
    const { sandbox, under, at } = await aLab();
    await sandbox.writeFiles([{ path: "file", content: text("kept"), mode: 0o444 }], under);
    const writing = sandbox.writeFiles([{ path: "file", content: text("x") }], under);
    await expect(writing).rejects.toMatchObject(codeOf("forbidden"));
    expect(readFileSync(at("file"), "utf8")).toBe("kept");
    await expect.poll(() => readdirSync(at("."))).toEqual(["file"]);
  });

  // Only root can hand a file to somebody else.
  it.each(process.getuid?.() === 0 ? [0, 65_534] : [])(
    "replaces a file of user %i only where the sandbox is theirs",
    async (owner) => {
      const { sandbox, under, at, workspace } = await aLab();
      writeFileSync(at("file"), "theirs");
      chownSync(at("file"), owner, 0);
      const writing = sandbox.writeFiles([{ path: "file", content: text("ours") }], under);
      if (statSync(workspace).uid === owner) await writing;
      else await expect(writing).rejects.toMatchObject(codeOf("forbidden"));
      const left = statSync(workspace).uid === owner ? "ours" : "theirs";
      expect(readFileSync(at("file"), "utf8")).toBe(left);
      await expect.poll(() => readdirSync(at("."))).toEqual(["file"]);
    },
  );

  it("does not take a folder for a file", async () => {
    const { sandbox, under, at } = await aLab();
    mkdirSync(at("folder"));
    const writing = sandbox.writeFiles([{ path: "folder", content: text("x") }], under);
    await expect(writing).rejects.toMatchObject(codeOf("invalidInput"));
    const reading = sandbox.readFileToBuffer("folder", under);
    await expect(reading).rejects.toMatchObject(codeOf("invalidInput"));
    expect(readdirSync(at("folder"))).toEqual([]);
  });

  it("reads null for what is absent, and for nothing else (D7)", async () => {
    const { sandbox, under, at } = await aLab();
    expect(await sandbox.readFileToBuffer("absent", under)).toBe(null);
    expect(await sandbox.readFileToBuffer("absent/too", under)).toBe(null);
    writeFileSync(at("closed"), "secret");
    chmodSync(at("closed"), 0);
    const reading = sandbox.readFileToBuffer("closed", under);
    await expect(reading).rejects.toMatchObject(codeOf("forbidden"));
  });

  it("lists a folder by name", async () => {
    const { sandbox, under, at } = await aLab();
    for (const name of ["b", "B", "a10", "a9"]) writeFileSync(at(name), "");
    mkdirSync(at("folder"));
    expect(await sandbox.listDir(".", under)).toEqual([
      ...["B", "a10", "a9", "b"].map((name) => ({ name, kind: "file" })),
      { name: "folder", kind: "folder" },
    ]);
    await expect(sandbox.listDir("absent", under)).rejects.toMatchObject(codeOf("notFound"));
  });

  it.each(["", "a\0b"])("refuses the path %j", async (wrong) => {
    const { sandbox, under, at } = await aLab();
    const invalid = codeOf("invalidInput");
    await expect(sandbox.mkDir(wrong, under)).rejects.toMatchObject(invalid);
    await expect(sandbox.listDir(wrong, under)).rejects.toMatchObject(invalid);
    await expect(sandbox.readFileToBuffer(wrong, under)).rejects.toMatchObject(invalid);
    const files = ["fine", wrong].map((one) => ({ path: one, content: text("x") }));
    await expect(sandbox.writeFiles(files, under)).rejects.toMatchObject(invalid);
    expect(existsSync(at("fine"))).toBe(false);
  });

  it("does nothing for whoever has left", async () => {
    const { sandbox, under, at } = await aLab();
    const left = { ...under, signal: AbortSignal.abort() };
    const aborted = codeOf("aborted");
    const writing = sandbox.writeFiles([{ path: "file", content: text("x") }], left);
    await expect(writing).rejects.toMatchObject(aborted);
    await expect(sandbox.mkDir("folder", left)).rejects.toMatchObject(aborted);
    await expect(sandbox.readFileToBuffer("file", left)).rejects.toMatchObject(aborted);
    await expect.poll(() => readdirSync(at("."))).toEqual([]);
  });
}

function within(workspace: string) {
  return (name: string) => path.resolve(workspace, name);
}
