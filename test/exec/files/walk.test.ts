import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { fileClient, uri } from "./support/file-client.ts";

const ALL = {
  maxDepth: 64,
  maxDirectories: 100,
  maxEntries: 100,
  followDirectorySymlinks: false,
};

function layOut(): string {
  const folder = temporaryFolder({ f1: "", "a/f2": "", "a/b/f3": "", ".hid/h1": "", "z/f4": "" });
  fs.symlinkSync("../a", path.join(folder, "z/la"));
  fs.symlinkSync("..", path.join(folder, "z/up"));
  fs.symlinkSync("f1", path.join(folder, "lf"));
  fs.symlinkSync("none", path.join(folder, "broken"));
  execFileSync("mkfifo", [path.join(folder, "pipe")]);
  return folder;
}

async function walk(folder: string, options = {}, name = ".") {
  const answer = await fileClient().call("fs/walk", {
    path: uri(folder, name),
    options: { ...ALL, ...options },
  });
  if (answer.error !== undefined) return { error: answer.error, names: [] };
  const { entries = [], truncated } = answer.result as {
    entries?: { path: string; kind: string }[];
    truncated?: boolean;
  };
  const names = entries.map(({ path: at, kind }) => {
    return at.slice(uri(folder).length + 1) + (kind === "directory" ? "/" : "");
  });
  return { names, truncated };
}

describe("60 a walk", () => {
  it("goes level by level in order of names and leaves links and pipes out", async () => {
    expect(await walk(layOut())).toEqual({
      names: [".hid/", "a/", "f1", "z/", ".hid/h1", "a/b/", "a/f2", "z/f4", "a/b/f3"],
      truncated: false,
    });
  });

  it("stops at a depth without calling that truncated", async () => {
    const folder = layOut();
    expect(await walk(folder, { maxDepth: 0 })).toEqual({
      names: [".hid/", "a/", "f1", "z/"],
      truncated: false,
    });
    expect((await walk(folder, { maxDepth: 1 })).names).not.toContain("a/b/f3");
  });

  it("counts folders, and names whether listed or not", async () => {
    const folder = layOut();
    expect(await walk(folder, { maxDirectories: 2 })).toEqual({
      names: [".hid/", "a/", "f1", "z/", ".hid/h1"],
      truncated: true,
    });
    // .hid a broken f1
    expect(await walk(folder, { maxEntries: 4 })).toEqual({
      names: [".hid/", "a/", "f1"],
      truncated: true,
    });
  });

  it("lists hidden folders without entering them when told to", async () => {
    const { names } = await walk(layOut(), { pruneHiddenDirectories: true });
    expect(names).toContain(".hid/");
    expect(names).not.toContain(".hid/h1");
  });

  it("lists links to folders when told to and enters no folder twice", async () => {
    const { names } = await walk(layOut(), { followDirectorySymlinks: true });
    expect(names).toContain("z/la/");
    expect(names).toContain("z/up/");
    expect(names.filter((name) => name.endsWith("f3"))).toEqual(["a/b/f3"]);
  });

  it("finds nothing below a file or a link", async () => {
    const folder = layOut();
    for (const name of ["f1", "z/la"]) {
      expect(await walk(folder, {}, name)).toEqual({ names: [], truncated: false });
    }
  });

  it("judges its limits before it looks", async () => {
    const folder = layOut();
    const zero = { code: -32600, message: "filesystem walk limits must be greater than zero" };
    const most =
      "filesystem walk limits exceed maximums: depth=64, directories=10000, entries=50000";
    expect((await walk(folder, { maxEntries: 0 }, "none")).error).toEqual(zero);
    expect((await walk(folder, { maxDirectories: 0 }, "none")).error).toEqual(zero);
    for (const limit of [{ maxDepth: 65 }, { maxDirectories: 10_001 }, { maxEntries: 50_001 }]) {
      expect((await walk(folder, limit, "none")).error).toEqual({ code: -32600, message: most });
    }
    expect((await walk(folder, {}, "none")).error?.code).toBe(-32004);
    expect((await walk(folder, { maxDepth: -1 })).error?.code).toBe(-32602);
  });
});
