import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { findLeftBehind } from "../../../src/sandbox/receipt/find-left-behind.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const BEFORE = 0;
const AFTER = Number.MAX_SAFE_INTEGER;

function look(files: Readonly<Record<string, string>>, since = BEFORE, searchPath = "") {
  const root = temporaryFolder(files);
  return { root, ...lookAt(root, since, searchPath.replaceAll("ROOT", root)) };
}

function lookAt(root: string, since: number, searchPath = "") {
  const found = findLeftBehind(boundWith([[root, "write"]]), { since, searchPath });
  if (found.kind !== "lookedFor") throw new Error("Cannot judge: nobody looked");
  const names = found.files.map((one) => path.relative(root, one.path));
  return { names: names.toSorted(), complete: found.complete, files: found.files };
}

describe("findLeftBehind", () => {
  it.each([
    ".npmrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "pip.conf",
    "package.json",
    "AGENTS.md",
    "CLAUDE.md",
    ".bashrc",
    ".zshenv",
    "venv/lib/python3/site-packages/x.pth",
    "sub/AGENTS.md",
    "sub/.mcp.json",
    "sub/.envrc",
    "sub/writ.toml",
  ])("reports %s, and why", (name) => {
    const { names, complete, files } = look({ [name]: "x", "src/plain.ts": "x" });
    expect({ names, complete }).toEqual({ names: [name], complete: true });
    expect(files[0]?.why.length).toBeGreaterThan(8);
  });

  it("reports nothing that was there before", () => {
    expect(look({ ".npmrc": "x", "sub/.git/config": "x" }, AFTER).names).toEqual([]);
  });

  it("reports a nested repository, and not the one that is protected", () => {
    const { names } = look({ "sub/deep/.git/config": "x", ".git/config": "x" });
    expect(names).toEqual(["sub/deep/.git"]);
  });

  it.each(["hooks/post-checkout", "config", "info/attributes"])(
    "reports a repository of before in which %s was changed",
    async (name) => {
      const { root } = look({ [`sub/.git/${name}`]: "x" });
      const since = await later(root);
      expect(lookAt(root, since).names).toEqual([]);
      fs.writeFileSync(path.join(root, "sub/.git", name), "changed");
      expect(lookAt(root, since).names).toEqual(["sub/.git"]);
    },
  );

  it("reports a folder of before that was given the name of a repository", async () => {
    const { root } = look({ "sub/prepared/hooks/post-checkout": "x" });
    const since = await later(root);
    fs.renameSync(path.join(root, "sub/prepared"), path.join(root, "sub/.git"));
    expect(lookAt(root, since).names).toEqual(["sub/.git"]);
  });

  it("reports programs in writable folders of PATH and in the project's own", () => {
    const files = { "tools/ls": "x", "tools/notes.txt": "x", "node_modules/.bin/tsc": "x" };
    const root = temporaryFolder(files);
    for (const name of ["tools/ls", "node_modules/.bin/tsc"]) {
      fs.chmodSync(path.join(root, name), 0o755);
    }
    const searchPath = `/usr/bin:${root}/tools:relative:`;
    const found = lookAt(root, BEFORE, searchPath);
    expect(found.names).toEqual(["node_modules/.bin/tsc", "tools/ls"]);
    expect(lookAt(root, BEFORE).names).toEqual(["node_modules/.bin/tsc"]);
  });

  it.each(["constructor", "toString", "__proto__"])(
    "looks into a folder called %s as into any other",
    (folder) => {
      expect(look({ [`${folder}/AGENTS.md`]: "x" }).names).toEqual([`${folder}/AGENTS.md`]);
    },
  );

  it("does not take a file for one that counts by its name alone", () => {
    const bare = { HEAD: "x", "objects/x": "x", "refs/x": "x", constructor: "x", toString: "x" };
    expect(look(bare).names).toEqual(["HEAD"]);
    expect(look({ "Package.json": "x", "agents.md": "x" }).names).toEqual([]);
  });

  it("asks a folder by name that does not tell its names", () => {
    const root = temporaryFolder({ "sub/AGENTS.md": "x", "ünder/AGENTS.md": "x", Ünder: "x" });
    const closed = path.join(root, "sub");
    closeTo(closed);
    expect(lookAt(root, BEFORE).names).toEqual(["sub/AGENTS.md", "ünder/AGENTS.md"]);
  });

  it("reports what has a name by now that a pattern denies, and the rule that did not hide it", () => {
    const root = temporaryFolder({ "a.env": "x", "sub/b.env": "x", "keys/x/y": "x", "c.txt": "x" });
    const bound = boundWith([
      [root, "write"],
      [`glob:${root}/**/*.env`, "deny"],
      [`glob:${root}/keys`, "deny"],
    ]);
    const lookSince = (since: number) => {
      const found = findLeftBehind(bound, { since, searchPath: "" });
      return found.kind === "lookedFor" ? found.files : [];
    };
    const named = lookSince(BEFORE).map((one) => path.relative(root, one.path));
    expect(named.toSorted()).toEqual(["a.env", "keys", "sub/b.env"]);
    expect(lookSince(BEFORE)[0]?.why).toMatch(/after the start, so .*"deny" did not hide it$/);
    expect(lookSince(AFTER)).toEqual([]);
  });

  it("does not report what patterns hid, although it was changed since", () => {
    const root = temporaryFolder({ "ws/a.env": "x", "ws/sub/b.env": "x", "ws/new.env": "x" });
    fs.symlinkSync("ws", path.join(root, "link"));
    const hidden = ["a.env", "sub/b.env"].map((name) => path.join(root, "ws", name));
    const leftIn = (folder: string) => {
      const bound = boundWith([
        [path.join(root, folder), "write"],
        [`glob:${root}/${folder}/**/*.env`, "deny"],
      ]);
      const isHidden = (file: string) => hidden.includes(file);
      const found = findLeftBehind(bound, { since: BEFORE, searchPath: "", isHidden });
      return found.kind === "lookedFor" ? found.files.map((one) => path.basename(one.path)) : [];
    };
    expect(leftIn("ws")).toEqual(["new.env"]);
    expect(leftIn("link")).toEqual(["new.env"]);
  });

  it("looks into no package and through no link", () => {
    const root = temporaryFolder({ "node_modules/x/package.json": "x" });
    const elsewhere = temporaryFolder({ "sub/.npmrc": "x" });
    fs.symlinkSync(elsewhere, path.join(root, "link"));
    fs.symlinkSync("..", path.join(root, "loop"));
    expect(lookAt(root, BEFORE)).toMatchObject({ names: [], complete: true });
  });

  it("says that it could not look into a folder whose name is not UTF-8", () => {
    const root = temporaryFolder({ "\uFFFD/AGENTS.md": "x" });
    expect(lookAt(root, BEFORE)).toMatchObject({ names: ["\uFFFD/AGENTS.md"], complete: true });
    const name = Buffer.concat([Buffer.from(`${root}/b`), Buffer.of(0xff)]);
    fs.mkdirSync(name);
    expect(lookAt(root, BEFORE)).toMatchObject({ complete: false });
  });

  it("finds what lies near in spite of a tree made to tire it, and says that it gave up", () => {
    const root = temporaryFolder({ "z/.git/config": "x" });
    for (let index = 0; index < 2100; index += 1) fs.mkdirSync(path.join(root, `a${index}`));
    expect(lookAt(root, BEFORE)).toMatchObject({ names: ["z/.git"], complete: false });
  });

  it("reads so many names and no more, and says that it gave up", () => {
    const root = temporaryFolder({ "a/x": "x", "b/AGENTS.md": "x", "AGENTS.md": "x" });
    const one = fs.readdirSync(path.join(root, "a"), { withFileTypes: true })[0] ?? null;
    let read = 0;
    const open = fs.opendirSync;
    vi.spyOn(fs, "opendirSync").mockImplementation((folder, options) => {
      const opened = open(folder, options);
      // A folder of millions takes minutes to make.
      if (folder === path.join(root, "a")) {
        opened.readSync = () => {
          read += 1;
          return read < 1_000_000 ? one : null;
        };
      }
      return opened;
    });
    const names = ["AGENTS.md", "b/AGENTS.md"];
    expect(lookAt(root, BEFORE)).toMatchObject({ names, complete: false });
    expect(read).toBeLessThan(250_000);
  });

  it.each(["node_modules/.bin", "a"])("sees what lies beside too many names in %s", (flooded) => {
    const root = temporaryFolder({
      [`${flooded}/x`]: "x",
      [`${flooded}/AGENTS.md`]: "x",
      "b/AGENTS.md": "x",
    });
    const open = fs.opendirSync;
    vi.spyOn(fs, "opendirSync").mockImplementation((folder, options) => {
      const opened = open(folder, options);
      const [one] = fs.readdirSync(folder, { withFileTypes: true });
      if (folder === path.join(root, flooded)) opened.readSync = () => one ?? null;
      return opened;
    });
    const names = [...(flooded === "a" ? ["a/AGENTS.md"] : []), "b/AGENTS.md"];
    expect(lookAt(root, BEFORE)).toMatchObject({ names, complete: false });
  });

  it("says whether there are folders too deep for it", () => {
    expect(look({ "1/2/3/4/5/AGENTS.md": "x" })).toMatchObject({
      names: ["1/2/3/4/5/AGENTS.md"],
      complete: true,
    });
    expect(look({ "1/2/3/4/5/6/AGENTS.md": "x" })).toMatchObject({ names: [], complete: false });
  });

  it.each(["hooks/x", "modules/lib/hooks/x"])(
    "reports a repository of before in which %s was written over, and says where it is too deep",
    async (name) => {
      const { root } = look({ [`sub/.git/${name}`]: "x", "sub/.git/objects/a/b/c/d/e": "x" });
      const since = await later(root);
      expect(lookAt(root, since)).toMatchObject({ names: [], complete: true });
      fs.writeFileSync(path.join(root, "sub/.git", name), "changed");
      expect(lookAt(root, since).names).toEqual(["sub/.git"]);
      fs.mkdirSync(path.join(root, "other/.git/modules/1/2/3/4"), { recursive: true });
      expect(lookAt(root, AFTER)).toMatchObject({ names: [], complete: false });
    },
  );

  it("says that a folder of this user did not tell, and not that another's or a missing one did not", () => {
    const root = temporaryFolder({ "shut/sub/AGENTS.md": "x" });
    const shut = path.join(root, "shut");
    closeTo(shut);
    const nowhere = `${root}/nowhere:${root}/shut/sub/AGENTS.md`;
    expect(lookAt(root, BEFORE, nowhere)).toMatchObject({ names: [], complete: false });
    const uid = process.getuid?.() ?? 0;
    vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
    expect(lookAt(root, BEFORE, nowhere)).toMatchObject({ names: [], complete: true });
  });

  it("says that there is more than it lists", () => {
    const many = Array.from({ length: 60 }, (_, index) => [`d${index}/.npmrc`, "x"]);
    const { files, complete } = look(Object.fromEntries(many));
    expect({ count: files.length, complete }).toEqual({ count: 50, complete: false });
  });

  it("does not claim to have looked where every file may be written", () => {
    const profile = { ...boundWith([]), files: { type: "unrestricted" } as const };
    expect(findLeftBehind(profile, { since: BEFORE, searchPath: "" })).toEqual({
      kind: "notLookedFor",
    });
  });

  it("reports a folder that git takes for a repository without a .git", () => {
    const bare = { HEAD: "x", config: "x", "objects/x": "x", "refs/x": "x" };
    const below = Object.fromEntries(
      Object.entries(bare).map(([name, text]) => [`sub/${name}`, text]),
    );
    expect(look(bare).names).toEqual(["HEAD", "config"]);
    expect(look(below).names).toEqual(["sub/HEAD", "sub/config"]);
    expect(look({ HEAD: "x", commondir: "x" }).names).toEqual(["HEAD", "commondir"]);
    expect(look({ HEAD: "x", config: "x", "objects/x": "x" }).names).toEqual([]);
  });
});

/** A folder that does not tell its names; root reads any other. */
function closeTo(closed: string): void {
  const open = fs.opendirSync;
  vi.spyOn(fs, "opendirSync").mockImplementation((folder, options) => {
    if (folder === closed) throw new Error("EACCES");
    return open(folder, options);
  });
}

/** A moment after everything in the folder was made, by the clock of its file system. */
async function later(root: string): Promise<number> {
  const mark = path.join(root, "mark");
  const newest = () => fs.statSync(mark).ctimeMs;
  fs.writeFileSync(mark, "");
  const first = newest();
  while (newest() === first) fs.writeFileSync(mark, "");
  return newest();
}
