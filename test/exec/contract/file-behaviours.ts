/** Files of the machine that runs commands. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { AtPath } from "../../../src/exec/files/file-operations.ts";
import type { FileOperations } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import type { ContractOptions, MakeExecutor } from "./executor-contract.ts";
import { type ContractPlace, contractPlace, intentOf, WAIVED } from "./support/contract-place.ts";

export function fileBehaviours(
  make: MakeExecutor,
  { allOfFiles, receipts }: ContractOptions,
): void {
  it("writes, reads and describes a file", async () => {
    const { files } = await make();
    const { at } = filesOf(contractPlace());
    const content = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    await files.writeFile(at("file"), content);
    expect(Buffer.from(await files.readFile(at("file")))).toEqual(content);
    expect(await files.getMetadata(at("file"))).toMatchObject({
      isFile: true,
      isDirectory: false,
      isSymlink: false,
      size: 256,
    });
  });

  it("makes, lists, walks, copies and removes folders", async () => {
    const { files } = await make();
    const { at } = filesOf(contractPlace());
    await files.createDirectory(at("a/b"), { recursive: true });
    await files.writeFile(at("a/b/file"), Buffer.from("text"));
    await files.copy(at("a"), at("copy"), { recursive: true });
    expect(Buffer.from(await files.readFile(at("copy/b/file"))).toString()).toBe("text");
    expect(await files.readDirectory(at("copy"))).toEqual([
      { fileName: "b", isDirectory: true, isFile: false },
    ]);
    const walked = await files.walk(at("a"), WALK);
    expect(walked).toMatchObject({ errors: [], truncated: false });
    expect(walked.entries.map(({ path: uri, kind }) => [uri.split("/").at(-1), kind])).toEqual([
      ["b", "directory"],
      ["file", "file"],
    ]);
    await files.remove(at("a"), { recursive: true, force: false });
    await expect(files.getMetadata(at("a"))).rejects.toMatchObject({ code: "notFound" });
  });

  it("reads and writes an open file block by block", async () => {
    const { files } = await make();
    const { at } = filesOf(contractPlace());
    const target = await files.open(at("file"), "replace");
    await target.write(0, Buffer.from("0123456789"));
    await target.write(4, Buffer.from("xx"));
    await target.close();
    const source = await files.open(at("file"), "read");
    const block = await source.read(2, 4);
    expect([Buffer.from(block.chunk).toString(), block.eof]).toEqual(["23xx", false]);
    expect(await source.read(8, 100)).toMatchObject({ eof: true });
    await source.close();
  });

  it("reads and writes as much of an open file as it is told to", async () => {
    const { files } = await make();
    const { at } = filesOf(contractPlace());
    const bytes = Buffer.alloc((2 << 20) + 3, "abc");
    const target = await files.open(at("file"), "replace");
    await target.write(0, bytes);
    await target.write(1, Buffer.alloc(0));
    await target.close();
    const source = await files.open(at("file"), "read");
    const most = await source.read(1, 2 << 20);
    expect([bytes.subarray(1, 1 + (2 << 20)).equals(most.chunk), most.eof]).toEqual([true, false]);
    const all = await source.read(0, 4 << 20);
    expect([bytes.equals(all.chunk), all.eof]).toEqual([true, true]);
    await source.close();
  });

  it("finds the place that links lead to", async () => {
    const { files } = await make();
    const place = contractPlace();
    const { at } = filesOf(place);
    writeFileSync(path.join(place.outside, "target"), "");
    symlinkSync(place.outside, path.join(place.workspace, "link"));
    expect(await files.canonicalize(at("link/target"))).toBe(
      uriOfNative(path.join(place.outside, "target")),
    );
    expect(await files.getMetadata(at("link"))).toMatchObject({ isSymlink: true });
    await expect(files.readFile({ ...at("link/target"), links: "refuse" })).rejects.toMatchObject({
      name: "FileError",
    });
  });

  it.each(LOOKS)("refuses links on the way to what it is to %s", async (_, look) => {
    const { files } = await make();
    const place = contractPlace();
    const { at } = filesOf(place);
    mkdirSync(path.join(place.workspace, "real/sub"), { recursive: true });
    writeFileSync(path.join(place.workspace, "real/sub/file"), "text");
    symlinkSync("real", path.join(place.workspace, "link"));
    const refusing = (name: string) => ({ ...at(name), links: "refuse" as const });
    const straight = look(files, refusing, "real/sub");
    if (allOfFiles) await straight;
    else await expect(straight).rejects.toThrow("this server has no word for it");
    await expect(look(files, refusing, "link/sub")).rejects.toMatchObject({ name: "FileError" });
  });

  it("writes and reads a file that is too long for one message", async () => {
    const { files } = await make();
    const place = contractPlace();
    const { at } = filesOf(place);
    const bytes = Buffer.alloc((52 << 20) + 1, "0123456789");
    await files.writeFile(at("file"), bytes);
    expect(bytes.equals(readFileSync(path.join(place.workspace, "file")))).toBe(true);
    if (allOfFiles) expect(bytes.equals(await files.readFile(at("file")))).toBe(true);
  });

  it.each(RECORDED)(
    receipts
      ? "keeps a receipt of a look that %s, and tells which"
      : "keeps no receipt of a look that %s",
    async (_, name, look, isRefused) => {
      const { files } = await make();
      const place = contractPlace();
      writeFileSync(path.join(place.workspace, "file"), "text");
      const { at } = filesOf(place, intentOf("read-only", place));
      const told: string[] = [];
      const record = { ids: { thread: "a", call: "b" }, kept: (id: string) => told.push(id) };
      const [looked] = await Promise.allSettled([look(files, at(name), { record })]);
      expect(looked.status).toBe(isRefused ? "rejected" : "fulfilled");
      expect(told).toEqual(receipts ? [expect.stringMatching(/^[0-9A-Z]{26}$/)] : []);
      await Promise.allSettled([look(files, at(name), {})]);
      expect(told).toHaveLength(receipts ? 1 : 0);
    },
  );

  it("does nothing that it was told to stop before", async () => {
    const { files } = await make();
    const place = contractPlace();
    const { at } = filesOf(place);
    mkdirSync(path.join(place.workspace, "a/b"), { recursive: true });
    const stopped = { recursive: true, signal: AbortSignal.abort(new Error("stop")) };
    await expect(files.copy(at("a"), at("c"), stopped)).rejects.toThrow("stop");
    await expect(files.remove(at("a"), { ...stopped, force: true })).rejects.toThrow("stop");
    expect(existsSync(path.join(place.workspace, "a/b"))).toBe(true);
    expect(existsSync(path.join(place.workspace, "c/b"))).toBe(false);
  });

  it.each([
    ["a missing file", "notFound", "missing"],
    ["a file below a file", "notDirectory", "file/below"],
    ["a folder", "invalid", "."],
  ])("says why it cannot read %s", async (_, code, name) => {
    const { files } = await make();
    const place = contractPlace();
    writeFileSync(path.join(place.workspace, "file"), "");
    await expect(files.readFile(filesOf(place).at(name))).rejects.toMatchObject({ code });
  });

  it("refuses to remove a folder that is not empty unless it is told to", async () => {
    const { files } = await make();
    const place = contractPlace();
    mkdirSync(path.join(place.workspace, "a/b"), { recursive: true });
    const removed = files.remove(filesOf(place).at("a"), { recursive: false, force: false });
    await expect(removed).rejects.toMatchObject({ code: "notEmpty" });
  });

  it("writes under workspace-write what a command could, and nothing else", async () => {
    const { files } = await make();
    const place = contractPlace();
    symlinkSync(place.outside, path.join(place.workspace, "link"));
    const { at } = filesOf(place, intentOf("workspace-write", place));
    await files.writeFile(at("file"), Buffer.from("in"));
    expect(readFileSync(path.join(place.workspace, "file"), "utf8")).toBe("in");
    for (const name of ["../outside/file", "link/file"]) {
      await expect(files.writeFile(at(name), Buffer.from("out"))).rejects.toMatchObject({
        code: expect.stringMatching(/^(readOnly|denied)$/),
      });
    }
    expect(existsSync(path.join(place.outside, "file"))).toBe(false);
  });

  it("reads and does not write under read-only", async () => {
    const { files } = await make();
    const place = contractPlace();
    writeFileSync(path.join(place.workspace, "file"), "text");
    const { at } = filesOf(place, intentOf("read-only", place));
    expect(Buffer.from(await files.readFile(at("file"))).toString()).toBe("text");
    await expect(files.writeFile(at("file"), Buffer.from("new"))).rejects.toMatchObject({
      name: "FileError",
    });
    await expect(files.remove(at("file"), { recursive: true, force: true })).rejects.toThrow();
    expect(readFileSync(path.join(place.workspace, "file"), "utf8")).toBe("text");
  });
}

type Look = (
  files: FileOperations,
  at: (name: string) => AtPath,
  folder: string,
) => Promise<unknown>;

const LOOKS: readonly (readonly [string, Look])[] = [
  ["open", async (files, at, folder) => (await files.open(at(`${folder}/file`), "read")).close()],
  ["canonicalize", (files, at, folder) => files.canonicalize(at(`${folder}/file`))],
  ["list", (files, at, folder) => files.readDirectory(at(folder))],
  ["walk", (files, at, folder) => files.walk(at(folder), WALK)],
  [
    "copy",
    (files, at, folder) => files.copy(at(`${folder}/file`), at("copy"), { recursive: false }),
  ],
];

type Recorded = (
  files: FileOperations,
  at: AtPath,
  options: Parameters<FileOperations["readDirectory"]>[1],
) => Promise<unknown>;

const readFile: Recorded = (files, at, options) => files.readFile(at, options);
const list: Recorded = (files, at, options) => files.readDirectory(at, options);
const open: Recorded = async (files, at, options) =>
  (await files.open(at, "read", options)).close();

const RECORDED: readonly (readonly [string, string, Recorded, boolean])[] = [
  ["reads a file", "file", readFile, false],
  ["lists a folder", ".", list, false],
  ["opens a file", "file", open, false],
  ["finds no file", "missing", readFile, true],
  ["finds no folder", "missing", list, true],
  ["finds nothing to open", "missing", open, true],
];

const WALK = {
  maxDepth: 8,
  maxDirectories: 100,
  maxEntries: 100,
  followDirectorySymlinks: false,
  pruneHiddenDirectories: false,
};

function filesOf({ workspace }: ContractPlace, sandbox = WAIVED) {
  const at = (name: string) => ({
    path: uriOfNative(path.join(workspace, name)),
    links: "follow" as const,
    sandbox,
    anchor: null,
  });
  return { at };
}
