import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { base64, fileClient, uri } from "./support/file-client.ts";

const missing = { error: { code: -32004, message: "No such file or directory (os error 2)" } };
const done = { result: {} };

describe("without a sandbox", () => {
  it("54 writes, reads, looks at, lists, copies and removes", async () => {
    const folder = temporaryFolder();
    const { call } = fileClient();
    const at = (name: string) => ({ path: uri(folder, name) });
    expect(await call("fs/createDirectory", at("a/b"))).toEqual(done);
    expect(await call("fs/writeFile", { ...at("a/b/f"), dataBase64: base64("long text") })).toEqual(
      done,
    );
    expect(await call("fs/writeFile", { ...at("a/b/f"), dataBase64: base64("text") })).toEqual(
      done,
    );
    expect(await call("fs/readFile", at("a/b/f"))).toEqual({
      result: { dataBase64: base64("text") },
    });
    const { result } = await call("fs/getMetadata", at("a/b/f"));
    expect(result).toMatchObject({ isDirectory: false, isFile: true, isSymlink: false, size: 4 });
    expect(result?.modifiedAtMs).toBeGreaterThan(0);
    const copy = { sourcePath: uri(folder, "a"), destinationPath: uri(folder, "c/d") };
    expect(await call("fs/copy", { ...copy, recursive: true })).toEqual(done);
    expect(await call("fs/readDirectory", at("c/d"))).toEqual({
      result: { entries: [{ fileName: "b", isDirectory: true, isFile: false }] },
    });
    expect(await call("fs/remove", at("a"))).toEqual(done);
    expect(fs.readdirSync(folder)).toEqual(["c"]);
    expect(fs.readFileSync(path.join(folder, "c/d/b/f"), "utf8")).toBe("text");
  });

  it("54 gives the path without links", async () => {
    const folder = fs.realpathSync(temporaryFolder({ "a/f": "" }));
    fs.symlinkSync("a", path.join(folder, "l"));
    const { call } = fileClient();
    expect(await call("fs/canonicalize", { path: uri(folder, "l/f") })).toEqual({
      result: { path: uri(folder, "a/f") },
    });
  });

  it("55 tells what is missing by its number", async () => {
    const { call } = fileClient();
    const at = { path: uri(temporaryFolder(), "none/f") };
    for (const method of ["readFile", "getMetadata", "canonicalize", "readDirectory"]) {
      expect(await call(`fs/${method}`, at)).toEqual(missing);
    }
    expect(await call("fs/writeFile", { ...at, dataBase64: "" })).toEqual(missing);
    expect(await call("fs/remove", { ...at, force: false })).toEqual(missing);
    expect(await call("fs/remove", at)).toEqual(done);
  });

  it("tells what the system says in words", async () => {
    const { call } = fileClient();
    const at = { path: uri(temporaryFolder(), "x".repeat(300)) };
    const error = { code: -32603, message: "Filename too long (os error 36)" };
    expect(await call("fs/writeFile", { ...at, dataBase64: "" })).toEqual({ error });
  });

  it("56 refuses a native path and a path of another system", async () => {
    const { call } = fileClient();
    expect(await call("fs/readFile", { path: "/etc/hosts" })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await call("fs/readFile", { path: "file:///C:/x" })).toEqual({
      error: {
        code: -32600,
        message: "'file:///C:/x' is invalid on 'linux'",
        data: { field: "path", writ: { code: "invalidRequest" } },
      },
    });
  });

  it("57 refuses to read or write what is no file, and never waits for a pipe", async () => {
    const folder = temporaryFolder();
    execFileSync("mkfifo", [path.join(folder, "pipe")]);
    const { call } = fileClient();
    const notFile = (name: string) => ({
      error: { code: -32600, message: `path \`${path.join(folder, name)}\` is not a file` },
    });
    expect(await call("fs/readFile", { path: uri(folder, "pipe") })).toEqual(notFile("pipe"));
    expect(await call("fs/readFile", { path: uri(folder) })).toEqual(notFile(""));
    const bytes = { dataBase64: base64("x") };
    expect(await call("fs/writeFile", { path: uri(folder, "pipe"), ...bytes })).toEqual(
      notFile("pipe"),
    );
    expect(await call("fs/writeFile", { path: uri(folder), ...bytes })).toEqual({
      error: { code: -32603, message: "Is a directory (os error 21)" },
    });
  });

  it("58 tells of a link what it leads to", async () => {
    const folder = temporaryFolder({ f: "12" });
    fs.symlinkSync("f", path.join(folder, "l"));
    fs.symlinkSync("none", path.join(folder, "broken"));
    const { call } = fileClient();
    expect(await call("fs/getMetadata", { path: uri(folder, "l") })).toMatchObject({
      result: { isSymlink: true, isFile: true, size: 2 },
    });
    expect(await call("fs/getMetadata", { path: uri(folder, "broken") })).toEqual(missing);
    const { result } = await call("fs/readDirectory", { path: uri(folder) });
    const entries = (result?.entries ?? []) as { fileName: string }[];
    expect(entries.map(({ fileName }) => fileName).toSorted()).toEqual(["f", "l"]);
  });

  it("61 copies links as links, passes over pipes in a tree and refuses one alone", async () => {
    const folder = temporaryFolder({ "t/f": "x" });
    const at = (name: string) => path.join(folder, name);
    fs.symlinkSync("/nowhere", at("t/l"));
    fs.chmodSync(at("t/f"), 0o750);
    execFileSync("mkfifo", [at("t/pipe")]);
    const { call } = fileClient();
    const copy = (from: string, to: string, recursive = true) =>
      call("fs/copy", {
        sourcePath: uri(folder, from),
        destinationPath: uri(folder, to),
        recursive,
      });
    expect(await copy("t", "u")).toEqual(done);
    expect(fs.readdirSync(at("u")).toSorted()).toEqual(["f", "l"]);
    expect(fs.readlinkSync(at("u/l"))).toBe("/nowhere");
    expect(fs.statSync(at("u/f")).mode & 0o777).toBe(0o750);
    expect(await copy("t", "u")).toEqual({
      error: { code: -32603, message: "File exists (os error 17)" },
    });
    expect((await copy("t/pipe", "p")).error).toEqual({
      code: -32600,
      message: "fs/copy only supports regular files, directories, and symlinks",
    });
    expect((await copy("t", "v", false)).error).toEqual({
      code: -32600,
      message: "fs/copy requires recursive: true when sourcePath is a directory",
    });
    fs.symlinkSync("t", at("again"));
    for (const into of ["t", "t/in", "again/in"]) {
      expect((await copy("t", into)).error).toEqual({
        code: -32600,
        message: "fs/copy cannot copy a directory to itself or one of its descendants",
      });
    }
    expect(await copy("t/f", "t/f", false)).toEqual(done);
    expect(fs.readFileSync(at("t/f"), "utf8")).toBe("x");
  });

  it("62 removes a link and keeps what it leads to", async () => {
    const folder = temporaryFolder({ "t/f": "x" });
    fs.symlinkSync("t", path.join(folder, "l"));
    const { call } = fileClient();
    expect(await call("fs/remove", { path: uri(folder, "l") })).toEqual(done);
    expect(fs.readdirSync(folder)).toEqual(["t"]);
    expect(await call("fs/remove", { path: uri(folder, "t"), recursive: false })).toEqual({
      error: { code: -32603, message: "Directory not empty (os error 39)" },
    });
  });

  it("refuses base64 that is not padded or not base64", async () => {
    const { call } = fileClient();
    const at = { path: uri(temporaryFolder(), "f") };
    const why = "fs/writeFile requires valid base64 dataBase64:";
    expect((await call("fs/writeFile", { ...at, dataBase64: "aGk" })).error).toEqual({
      code: -32600,
      message: `${why} Invalid padding`,
    });
    expect((await call("fs/writeFile", { ...at, dataBase64: "a!k=" })).error).toEqual({
      code: -32600,
      message: `${why} Invalid symbol 33, offset 1.`,
    });
  });

  it("makes folders once, and says where a file is in the way", async () => {
    const folder = temporaryFolder({ f: "" });
    const { call } = fileClient();
    const make = (name: string, more = {}) =>
      call("fs/createDirectory", { path: uri(folder, name), ...more });
    expect(await make("a")).toEqual(done);
    expect(await make("a")).toEqual(done);
    expect((await make("a", { recursive: false })).error?.message).toBe(
      "File exists (os error 17)",
    );
    expect((await make("b/c", { recursive: false })).error?.code).toBe(-32004);
    expect((await make("f")).error?.message).toBe("File exists (os error 17)");
    expect((await make("f/x")).error?.message).toBe("Not a directory (os error 20)");
    const both = await Promise.all([
      fileClient().call("fs/createDirectory", { path: uri(folder, "x/y/z") }),
      fileClient().call("fs/createDirectory", { path: uri(folder, "x/y/z") }),
    ]);
    expect(both).toEqual([done, done]);
  });

  it("removes names that are not UTF-8", async () => {
    const folder = temporaryFolder();
    fs.mkdirSync(path.join(folder, "t"));
    fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/t/`), Buffer.from([0xff])]), "");
    const { call } = fileClient();
    expect(await call("fs/remove", { path: uri(folder, "t") })).toEqual(done);
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
