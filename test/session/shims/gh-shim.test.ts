/** The shim of `gh` as a program of its own, in a folder that it keeps its issues beside. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shimsFor } from "../../../src/session/shims/shim.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Runs the shim with another `gh` in the search path, which leaves a word where it is run. */
function aShim() {
  const folder = temporaryFolder({ "other/gh": "#!/bin/sh\necho REAL\n" });
  chmodSync(path.join(folder, "other/gh"), 0o755);
  const [shim] = shimsFor(["gh"]);
  mkdirSync(path.join(folder, "bin"));
  writeFileSync(path.join(folder, "bin/gh"), shim?.script ?? "");
  const env = { PATH: `${folder}/other:/usr/bin:/bin` };
  return (...args: string[]) => {
    const argv = [path.join(folder, "bin/gh"), ...args];
    const { status, stdout, stderr } = spawnSync("/bin/sh", argv, {
      ...{ cwd: folder, env, encoding: "utf8", input: "from input" },
    });
    return { status, stdout, stderr };
  };
}

const says = (stdout: string) => ({ status: 0, stdout, stderr: "" });
const json = (value: unknown) => says(`${JSON.stringify(value)}\n`);

describe("the shim of gh", () => {
  it.each([[[]], [["--version"]], [["version"]]])("names its version for %j", (args) => {
    expect(aShim()(...args)).toEqual(says("gh version 2.0.0 (writ eval)\n"));
  });

  it.each<[string[], unknown]>([
    [["/repos/x/y/pulls/1"], {}],
    [["repos/x/y"], {}],
    [["-X", "DELETE", "/repos/x/y"], {}],
    [["graphql", "-f", "query=comments"], {}],
    [["user", "--jq", ".login"], {}],
    [["--method", "POST", "repos/x/y/issues/1/comments", "-f", "body=b"], []],
    [["search/issues?q=is:open"], { items: [] }],
    [["/search/issues"], { items: [] }],
  ])("case 101: answers api %j and asks nobody", (args, value) => {
    expect(aShim()("api", ...args)).toEqual(json(value));
  });

  it.each([
    ["pr", "create"],
    ["pr", "view", "1"],
    ["issue", "delete", "1"],
    ["auth", "token"],
    ["repo", "clone", "x/y"],
    ["search", "code", "x"],
    ["extension"],
    ["api"],
    ["api", "-X"],
    ["issue", "create"],
    ["issue", "comment", "1"],
    ["issue", "view", "--json"],
  ])("case 102: refuses %s %s, and runs no other gh", (...args) => {
    const { status, stdout, stderr } = aShim()(...args.filter((word) => word !== undefined));
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^gh shim: .* is not supported here, expected: /);
  });

  it.each([
    ["issue", "view", "x"],
    ["issue", "close", ""],
    ["issue", "edit"],
  ])("refuses %s %s of what is no issue", (...args) => {
    const { status, stderr } = aShim()(...args);
    expect(status).toBe(1);
    expect(stderr).toContain("is no issue, expected a number");
  });

  it("counts issues from 101 and finds them again", () => {
    const gh = aShim();
    const at = "https://github.com/o/r/issues";
    const title = 'a "b" \\ c\t%s $(id) * ✓';
    const body = "one\ntwo";
    const repo = ["--repo", "o/r"];
    expect(gh("issue", "create", "-t", title, "-b", body, "-l", "bug,*", ...repo)).toEqual(
      says(`${at}/101\n`),
    );
    expect(gh("issue", "create", "--title=next", ...repo)).toEqual(says(`${at}/102\n`));
    expect(gh("issue", "comment", "101", "--body-file", "-", ...repo)).toEqual(
      says(`${at}/101#issuecomment-1\n`),
    );
    expect(gh("issue", "close", `${at}/101`).status).toBe(0);
    expect(gh("issue", "edit", "#102", "--title", "other", ...repo)).toEqual(says(`${at}/102\n`));
    const fields = "number,title,body,state,labels,comments,url,nonsense";
    expect(gh("issue", "view", "101", "--json", fields, ...repo)).toEqual(
      json({
        ...{ number: 101, title, body, state: "CLOSED", labels: [{ name: "bug" }, { name: "*" }] },
        comments: [{ author: { login: "eval" }, body: "from input" }],
        ...{ url: `${at}/101`, nonsense: null },
      }),
    );
    expect(gh("issue", "view", "102", "--json", "title,body")).toEqual(
      json({ title: "other", body: "" }),
    );
    expect(gh("issue", "reopen", "101").status).toBe(0);
    expect(gh("issue", "view", "101").stdout).toBe(
      `title:\t${title}\nstate:\tOPEN\nnumber:\t101\n--\n${body}\n`,
    );
  });

  it("has an issue of every number", () => {
    const value = { number: 7, title: "Issue 7", state: "OPEN", comments: [] };
    expect(aShim()("issue", "view", "7", "--json", Object.keys(value).join(","))).toEqual(
      json(value),
    );
  });

  it.each([
    ["issue", "list"],
    ["search", "issues", "word"],
  ])("lists nothing for %s %s", (...args) => {
    const gh = aShim();
    expect(gh(...args)).toEqual(says(""));
    expect(gh(...args, "--json", "number,title")).toEqual(json([]));
  });

  it("knows where a repository is, and no more of it", () => {
    const gh = aShim();
    expect(gh("repo", "view", "o/r")).toEqual(says("https://github.com/o/r\n"));
    expect(gh("repo", "view", "-R", "o/r", "--json", "name,owner,url,stars")).toEqual(
      json({ name: "r", owner: { login: "o" }, url: "https://github.com/o/r", stars: null }),
    );
  });
});

describe("shimsFor", () => {
  it("makes a shim that refuses for a program without answers", () => {
    const folder = temporaryFolder();
    const [, shim] = shimsFor(["gh", "glab"]);
    const file = path.join(folder, "glab");
    writeFileSync(file, shim?.script ?? "");
    const { status, stderr } = spawnSync("/bin/sh", [file, "mr"], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("glab shim: nothing of glab is supported here");
  });

  it.each([[[]], [["gh", "gh"]], [[""]], [["a/b"]], [["-x"]], [["a'b"]], [["a b"]], [["."]]])(
    "refuses %j",
    (names) => {
      expect(() => shimsFor(names)).toThrow(expect.objectContaining({ code: "invalidInput" }));
    },
  );
});
