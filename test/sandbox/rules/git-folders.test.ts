import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { gitFolders } from "../../../src/sandbox/rules/git-folders.ts";
import { fileTree } from "../support/file-tree.ts";

type Tree = Parameters<typeof fileTree>;

function foldersOf(texts: Readonly<Record<string, string>>, ...more: Tree) {
  const facts = { ...fileTree(...Object.keys(texts), ...more), textAt };
  return gitFolders(at("/r/.git"), facts);

  function textAt(path: string): string {
    return texts[path] ?? "";
  }
}

describe("gitFolders", () => {
  it.each([
    ["a relative path", "gitdir: real\n", ["/r/real"]],
    ["a path that climbs", "gitdir: ../main/.git/modules/r\n", ["/main/.git/modules/r"]],
    ["an absolute path", "gitdir: /srv/git/r\n", ["/srv/git/r"]],
    ["a path with a space in it", "gitdir: my repo\n", ["/r/my repo"]],
    ["no space after the colon, no line end", "gitdir:real", ["/r/real"]],
  ])("follows a file with %s", (_, text, folders) => {
    expect(foldersOf({ "/r/.git": text })).toEqual(folders);
  });

  it("adds the folder that a worktree shares", () => {
    const folders = foldersOf({
      "/r/.git": "gitdir: /main/.git/worktrees/r\n",
      "/main/.git/worktrees/r/commondir": "../..\n",
    });
    expect(folders).toEqual(["/main/.git/worktrees/r", "/main/.git"]);
  });

  it("adds the folder that a repository which is itself a folder shares", () => {
    expect(foldersOf({ "/r/.git/commondir": "../elsewhere\n" }, "/r/.git/")).toEqual([
      "/r/elsewhere",
    ]);
  });

  it.each([
    ["is an ordinary folder", {}, ["/r/.git/"]],
    ["is missing", {}, ["/r/"]],
    ["is an empty file", { "/r/.git": "" }, []],
    ["is a file that says something else", { "/r/.git": "not a pointer\n" }, []],
    ["points to nothing", { "/r/.git": "gitdir: \n" }, []],
    ["names its folder on a later line", { "/r/.git": "x\ngitdir: real\n" }, []],
  ])("finds none where .git %s", (_, texts: Record<string, string>, more) => {
    expect(foldersOf(texts, ...(more as Tree))).toEqual([]);
  });

  it.each([
    ["a pointer", { "/r/.git": "gitdir: real\0x\n" }],
    ["a shared folder", { "/r/.git": "gitdir: real\n", "/r/real/commondir": "..\0x\n" }],
  ])("refuses %s with a NUL, where git stops reading", (_, texts: Record<string, string>) => {
    expect(() => foldersOf(texts)).toThrow("its name holds a NUL");
  });

  it.each([
    ["a pointer", { "/r/.git": "gitdir: link/../real\n" }],
    ["an absolute pointer", { "/r/.git": "gitdir: /r/link/../real\n" }],
    ["a shared folder", { "/r/.git": "gitdir: link\n", "/r/link/commondir": "..\n" }],
  ])("refuses %s that leads back through a link", (_, texts: Record<string, string>) => {
    expect(() => foldersOf(texts, "/s/deep/", ["/r/link", "/s/deep"])).toThrow(
      'Cannot protect the repository that "/r',
    );
  });

  it("goes back from a folder below a link", () => {
    const folders = foldersOf({ "/r/.git": "gitdir: link/sub/../real\n" }, "/s/sub/", [
      "/r/link",
      "/s",
    ]);
    expect(folders).toEqual(["/r/link/real"]);
  });

  it("reads the pointer that a link leads to, from where it really lies", () => {
    const folders = foldersOf({ "/s/pointer": "gitdir: real\n" }, ["/r/.git", "/s/pointer"]);
    expect(folders).toEqual(["/s/real"]);
  });

  it.each([
    ["a pointer", { "/r/.git": "gitdir: r\uFFFDal\n" }],
    ["a shared folder", { "/r/.git": "gitdir: real\n", "/r/real/commondir": "\uFFFD\n" }],
  ])("refuses %s that is not UTF-8, since it could not be protected", (_, texts) => {
    expect(() => foldersOf(texts)).toThrow(/not UTF-8/);
  });
});
