import fs, { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bindProfile, type Entry, parseAbsolutePath } from "../../../../src/policy/index.ts";
import { WALK_BOUNDS } from "../../../../src/sandbox/files/globs/glob-budget.ts";
import { GlobCache } from "../../../../src/sandbox/files/globs/glob-cache.ts";
import { SandboxError } from "../../../../src/sandbox/sandbox-error.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { expandGlobs } from "../support/expand-globs.ts";
import { countReads, NFS, pretendType, settle } from "../support/glob-reads.ts";

const denied = (...patterns: string[]) =>
  patterns.map((pattern) => ({ pattern, rule: `the deny of "${pattern}"` }));

/** Real paths below the folder, as the walk finds them at once and aside. */
async function found(folder: string, patterns: readonly string[], bounds = {}): Promise<string[]> {
  const globs = denied(...patterns.map((pattern) => `${folder}/${pattern}`));
  const limits = { ...WALK_BOUNDS, ...bounds };
  const looking = new GlobCache().expandAside(globs, limits);
  const aside = await looking.catch((error) => {
    expect(() => expandGlobs(globs, limits)).toThrow(SandboxError);
    throw error;
  });
  expect(expandGlobs(globs, limits)).toEqual(aside);
  return aside.map((match) => path.relative(folder, match.path));
}

describe("expandGlobs", () => {
  it("finds files at every depth, hidden and ignored ones included", async () => {
    const folder = temporaryFolder({
      ".env": "",
      ".gitignore": "*",
      "a/b/c/d/e/deep.env": "",
      ".hidden/x.env": "",
      "a/env": "",
    });
    expect(await found(folder, ["**/*.env"])).toEqual([
      ".env",
      ".hidden/x.env",
      "a/b/c/d/e/deep.env",
    ]);
  });

  it("stops at a folder that matches, and lists it before what a link finds inside it", async () => {
    const folder = temporaryFolder({ "secret/in/k.key": "", "z/k.key": "" });
    symlinkSync("../secret/in", path.join(folder, "z/through"));
    expect(await found(folder, ["secret", "z/**/*.key"])).toEqual([
      "secret",
      "secret/in/k.key",
      "z/k.key",
    ]);
  });

  it("passes over what a command has of its own, whatever link leads there", async () => {
    const folder = temporaryFolder({ "x/a.env": "" });
    const links = { "null.env": "/dev/null", "own.env": "/proc/self/environ", in: "/proc/self" };
    for (const [name, to] of Object.entries(links)) symlinkSync(to, path.join(folder, name));
    expect(await found(folder, ["**/*.env", "in/status"])).toEqual(["x/a.env"]);
    expect(expandGlobs(denied("/proc/*/status", "/dev/nul?"), WALK_BOUNDS)).toEqual([]);
  });

  it("tells names from folders in a pattern of several parts", async () => {
    const files = { "a/file1x.txt": "", "a/b/file1x.txt": "", "a/filex.txt": "", "b.key": "" };
    const folder = temporaryFolder({ ...files, "[x/k": "", "{y/k": "" });
    expect(await found(folder, ["*/file[0-9]?.txt", "*.{env,key}", "[x/*"])).toEqual([
      "[x/k",
      "a/file1x.txt",
      "b.key",
    ]);
  });

  it("follows links, to files, to folders, through other links and in circles", async () => {
    const folder = temporaryFolder({ "ws/a/one.env": "", "out/plain": "", "out/deep/two.env": "" });
    const link = (target: string, name: string) => symlinkSync(target, path.join(folder, name));
    link("../out/plain", "ws/alias.env");
    link("../out/deep", "out/hop");
    link("../../out/hop", "ws/a/far");
    link("..", "ws/a/up");
    link(".", "ws/self");
    link("self.env", "ws/self.env");
    link("nowhere", "ws/gone.env");
    expect(await found(folder, ["ws/**/*.env"])).toEqual([
      "out/deep/two.env",
      "out/plain",
      "ws/a/one.env",
    ]);
  });

  it("tells by which links a place was reached, and of none where there is another way", async () => {
    const folder = temporaryFolder({ "ws/pkg/k.env": "", "out/deep/k.env": "", "out/plain": "" });
    const link = (target: string, name: string) => symlinkSync(target, path.join(folder, name));
    link("pkg", "ws/alias");
    link("../out/deep", "ws/far");
    link("../plain", "out/deep/plain.env");
    const globs = denied(`${folder}/ws/**/*.env`);
    const aside = await new GlobCache().expandAside(globs, WALK_BOUNDS);
    expect(expandGlobs(globs, WALK_BOUNDS)).toEqual(aside);
    const relative = (one: string) => path.relative(folder, one);
    expect(aside.map((match) => [relative(match.path), match.links.map(relative)])).toEqual([
      ["out/deep/k.env", ["ws/far"]],
      ["out/plain", ["ws/far", "out/deep/plain.env"]],
      ["ws/pkg/k.env", []],
    ]);
  });

  it("tells the links anew for a folder that it remembers", async () => {
    const folder = temporaryFolder({ "ws/x": "", "out/in/k.env": "" });
    symlinkSync("../out", path.join(folder, "ws/far"));
    const globs = denied(`${folder}/ws/**/*.env`);
    const cache = new GlobCache({ settleMs: 0 });
    const links = () => cache.expand(globs, WALK_BOUNDS).map((match) => match.links);
    expect(links()).toEqual([[path.join(folder, "ws/far")]]);
    renameSync(path.join(folder, "ws/far"), path.join(folder, "ws/near"));
    expect(links()).toEqual([[path.join(folder, "ws/near")]]);
  });

  it("looks deeper than the profile's scan depth, because the rule holds there", () => {
    const folder = parseAbsolutePath(temporaryFolder({ "1/2/3/x.env": "" }));
    const entry: Entry = {
      target: { type: "glob", base: "absolute", pattern: `${folder}/**/*.env` },
      access: "deny",
    };
    const { files } = bindProfile(
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "restricted", entries: [entry], globScanMaxDepth: 2 },
        network: { kind: "restricted" },
      },
      {
        system: "linux",
        cwd: folder,
        workspaceRoots: [folder],
        tmpdir: undefined,
        slashTmp: undefined,
        platformDefaults: [],
        protectedNames: [],
        externalSandbox: "absent",
      },
    );
    const globs = files.type === "restricted" ? files.globs : [];
    expect(expandGlobs(globs, WALK_BOUNDS)).toMatchObject([{ path: `${folder}/1/2/3/x.env` }]);
  });
});

describe("a walk that cannot look at everything", () => {
  const refusal = (text: string) =>
    expect.objectContaining({
      name: "SandboxError",
      code: "unenforceableRule",
      message: expect.stringMatching(new RegExp(text, "s")),
    });

  const tree = () => temporaryFolder({ "a.env": "", "b.env": "", "1/2/3/4/c.env": "" });

  it.each([
    ["names", { entries: 5 }, "more than 5 names"],
    ["matches", { matches: 2 }, "matches more than 2 paths"],
    ["depth", { depth: 4 }, "nested more than 4 deep"],
    ["time", { milliseconds: -1 }, "more than -1 ms"],
  ])("refuses at the bound of %s and names the pattern", async (_, bounds, what) => {
    const folder = tree();
    const looking = found(folder, ["other/*.key", "**/*.env"], bounds);
    await expect(looking).rejects.toEqual(refusal(what));
    if (!("milliseconds" in bounds)) {
      await expect(looking).rejects.toEqual(refusal(`Cannot enforce .*${folder}/\\*\\*/\\*\\.env`));
    }
  });

  it("finds all when a bound is just not reached", async () => {
    const folder = tree();
    const depth = folder.split("/").length - 1 + 4;
    const bounds = { entries: 2 + depth - 4 + 3 + 3, matches: 3, depth };
    expect(await found(folder, ["**/*.env"], bounds)).toHaveLength(3);
    const fewer = found(folder, ["**/*.env"], { ...bounds, depth: depth - 1 });
    await expect(fewer).rejects.toEqual(refusal("nested"));
  });

  it("reads no more names of a huge folder than it may look at", async () => {
    const names = Array.from({ length: 200 }, (_, index) => `name-${index}`);
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, ""])));
    pretendType(NFS);
    const reads = countReads();
    const largest = vi.spyOn(fs.Dir.prototype, "readSync");
    onTestFinished(() => largest.mockRestore());
    await expect(found(folder, ["*.env"], { entries: 50 })).rejects.toEqual(refusal("50 names"));
    expect(reads.take()).toBe(2);
    expect(largest.mock.calls.length).toBeLessThan(2 * 60);
    expect(await found(folder, ["*-77"])).toEqual(["name-77"]);
  });

  it("refuses folders that are nested deeper than a path can say", async () => {
    const folder = temporaryFolder();
    const long = (letter: string) => Array.from({ length: 12 }, () => letter.repeat(200)).join("/");
    for (const letter of ["a", "b"])
      mkdirSync(path.join(folder, long(letter)), { recursive: true });
    const [upper, inner] = [path.join(folder, "b".repeat(200)), path.join(folder, long("a"), "in")];
    renameSync(upper, inner);
    onTestFinished(() => renameSync(inner, upper));
    await expect(found(folder, ["**/*.env"])).rejects.toEqual(refusal("ENAMETOOLONG"));
  });

  it("refuses a name that is not UTF-8, also at the end of a link", async () => {
    const folder = temporaryFolder();
    const odd = Buffer.from(`${folder}/d\xfe`, "latin1");
    writeFileSync(odd, "");
    await expect(found(folder, ["**/*.env"])).rejects.toEqual(refusal("not UTF-8"));
    const other = temporaryFolder();
    symlinkSync(odd, path.join(other, "x.env"));
    await expect(found(other, ["**/*.env"])).rejects.toEqual(refusal("not UTF-8"));
    expect(await found(folder, ["*.env/x"])).toEqual([]);
  });

  it("refuses a folder that is closed to this user, and a link that leads behind it", async () => {
    const folder = temporaryFolder({ "closed/x.env": "", "open/y": "" });
    chmodSync(folder, 0o755);
    symlinkSync("../closed/x.env", path.join(folder, "open/x.env"));
    chmodSync(path.join(folder, "closed"), 0);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      for (const pattern of ["**/*.env", "closed/*", "closed/x.env", "open/*.env"]) {
        await expect(found(folder, [pattern])).rejects.toEqual(refusal("EACCES"));
      }
      expect(await found(folder, ["open/y"])).toEqual(["open/y"]);
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(path.join(folder, "closed"), 0o755);
    }
  });

  it("refuses a link that would deny everything", async () => {
    const folder = temporaryFolder();
    symlinkSync("/", path.join(folder, "x.env"));
    await expect(found(folder, ["*.env"])).rejects.toEqual(refusal('leads to "/"'));
  });

  it.each([
    ["between two looks", "lstatSync", "expand"],
    ["before it is read", "readdirSync", "expand"],
    ["before it is read aside", "readdir", "expandAside"],
  ] as const)("goes on when a folder vanishes %s", async (_, call, way) => {
    const folder = temporaryFolder({ "going/x.env": "", "staying/y.env": "" });
    const real = fs[call] as (...args: unknown[]) => unknown;
    const vanish = (...args: unknown[]) => {
      if (args[0] === `${folder}/going`) renameSync(args[0], `${folder}/gone`);
      return real(...args);
    };
    const spy = vi.spyOn(fs, call).mockImplementation(vanish as never);
    onTestFinished(() => spy.mockRestore());
    const matches = await new GlobCache()[way](denied(`${folder}/**/*.env`), WALK_BOUNDS);
    expect(matches).toMatchObject([{ path: `${folder}/staying/y.env` }]);
  });

  it("finds the real path when a folder becomes a link while it is looked at", () => {
    const folder = temporaryFolder({ "going/x.env": "" });
    const real = fs.lstatSync as (...args: unknown[]) => unknown;
    const swap = (...args: unknown[]) => {
      if (args[0] === `${folder}/going`) {
        renameSync(args[0], `${folder}/gone`);
        symlinkSync("gone", args[0]);
      }
      return real(...args);
    };
    const spy = vi.spyOn(fs, "lstatSync").mockImplementation(swap as never);
    onTestFinished(() => spy.mockRestore());
    const matches = expandGlobs(denied(`${folder}/**/*.env`), WALK_BOUNDS);
    expect(matches).toMatchObject([{ path: `${folder}/gone/x.env` }]);
  });

  it("stops reading aside once it has refused", async () => {
    const names = Array.from({ length: 600 }, (_, index) => `${index}/in/x`);
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, ""])));
    writeFileSync(Buffer.from(`${folder}/599/\xfe`, "latin1"), "");
    const reads = countReads();
    await expect(
      new GlobCache().expandAside(denied(`${folder}/**/*.env`), WALK_BOUNDS),
    ).rejects.toEqual(refusal("not UTF-8"));
    expect(reads.take()).toBeGreaterThan(0);
    await settle();
    expect(reads.take()).toBe(0);
  });
});
