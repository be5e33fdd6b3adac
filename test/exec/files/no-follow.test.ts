import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { base64, fileClient, uri } from "./support/file-client.ts";

const LOOP = { code: -32603, message: "Symbolic link loop (os error 40)" };
const NOT_FOLDER = { code: -32603, message: "Not a directory (os error 20)" };
const LINK = { code: -32600, message: "path contains a symbolic link" };

function layOut() {
  const folder = temporaryFolder({ "t/f": "x" });
  fs.symlinkSync("t", path.join(folder, "folder"));
  fs.symlinkSync("t/f", path.join(folder, "file"));
  const { call } = fileClient();
  const ask = async (method: string, name: string, more = {}) =>
    (await call(`fs/${method}`, { path: uri(folder, name), followSymlinks: false, ...more })).error;
  return { folder, ask };
}

const data = { dataBase64: base64("new") };

describe("59 without following links", () => {
  it("refuses a link at the end of the path", async () => {
    const { folder, ask } = layOut();
    expect(await ask("readFile", "file")).toEqual(LOOP);
    expect(await ask("writeFile", "file", data)).toEqual(LOOP);
    expect(await ask("getMetadata", "file")).toEqual(LINK);
    expect(await ask("createDirectory", "folder")).toEqual(NOT_FOLDER);
    expect(await ask("remove", "file", { recursive: false })).toEqual(LINK);
    expect(await ask("remove", "folder")).toEqual(LINK);
    expect(fs.readFileSync(path.join(folder, "t/f"), "utf8")).toBe("x");
  });

  it("refuses a link on the way", async () => {
    const { folder, ask } = layOut();
    for (const method of ["readFile", "getMetadata", "remove"]) {
      expect(await ask(method, "folder/f")).toEqual(NOT_FOLDER);
    }
    expect(await ask("writeFile", "folder/f", data)).toEqual(NOT_FOLDER);
    expect(await ask("createDirectory", "folder/new")).toEqual(NOT_FOLDER);
    expect(fs.readdirSync(path.join(folder, "t"))).toEqual(["f"]);
  });

  it("refuses a link for what others can only do through links", async () => {
    const { folder, ask } = layOut();
    const options = {
      ...{ maxDepth: 1, maxDirectories: 9, maxEntries: 9 },
      followDirectorySymlinks: false,
    };
    expect(await ask("open", "file", { handleId: "a" })).toEqual(LOOP);
    expect(await ask("open", "file", { handleId: "b", mode: "replace" })).toEqual(LOOP);
    expect(await ask("open", "folder/f", { handleId: "c", mode: "replace" })).toEqual(NOT_FOLDER);
    expect(await ask("canonicalize", "folder/f")).toEqual(NOT_FOLDER);
    expect(await ask("readDirectory", "folder")).toBeDefined();
    expect(await ask("walk", "folder/f", { options })).toBeDefined();
    const [from, into] = [uri(folder, "t/f"), uri(folder, "folder/new")];
    const copied = { sourcePath: from, destinationPath: into, recursive: false };
    expect(await ask("copy", "", copied)).toEqual(NOT_FOLDER);
    const source = { sourcePath: uri(folder, "folder/f"), destinationPath: uri(folder, "new") };
    expect(await ask("copy", "", { ...copied, ...source })).toEqual(NOT_FOLDER);
    expect(fs.readFileSync(path.join(folder, "t/f"), "utf8")).toBe("x");
    expect(fs.readdirSync(folder).sort()).toEqual(["file", "folder", "t"]);
    expect(fs.readdirSync(path.join(folder, "t"))).toEqual(["f"]);
  });

  it("does what has no link in it", async () => {
    const { folder, ask } = layOut();
    expect(await ask("writeFile", "t/f", data)).toBeUndefined();
    expect(await ask("createDirectory", "t/a/b")).toBeUndefined();
    expect(await ask("remove", "t/a")).toBeUndefined();
    expect(fs.readFileSync(path.join(folder, "t/f"), "utf8")).toBe("new");
  });

  it("does not wait for a pipe", async () => {
    const { folder, ask } = layOut();
    execFileSync("mkfifo", [path.join(folder, "pipe")]);
    expect((await ask("writeFile", "pipe", data))?.code).toBe(-32600);
  });
});
