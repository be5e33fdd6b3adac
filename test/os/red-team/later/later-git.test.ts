/** What git obeys and runs: pointers, worktrees, shared folders, and `.git` in every odd form. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { attempts, layOut, treeOf } from "../../support/later-attempts.ts";
import { flagsOf } from "../../support/sandbox-modes.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

/** What makes git run something, below a folder that is a repository. */
const REPOSITORY = {
  HEAD: "ref: refs/heads/main\n",
  config: "[core]\n",
  "config.worktree": "",
  "info/attributes": "",
  "hooks/pre-commit": "#!/bin/sh\n",
} as const;

function repositoryAt(folder: string, more: Readonly<Record<string, string>> = {}) {
  const files = Object.entries({ ...REPOSITORY, ...more });
  return Object.fromEntries(files.map(([name, text]) => [`${folder}/${name}`, text]));
}

function triesOn(folder: string): string[] {
  return [
    ...Object.keys(REPOSITORY).map((name) => `echo evil > ${folder}/${name}`),
    ...["hooks/post-checkout", "commondir", "gitdir", "new"].map(
      (name) => `echo evil > ${folder}/${name}`,
    ),
    `mv ${folder} ${folder}-moved`,
    `rm -r ${folder}/hooks`,
    `rm -r ${folder}`,
    `perl -e "exit(rename(qq(${folder}/hooks), qq(hooks)) ? 0 : 1)"`,
    `chmod 777 ${folder}/hooks/pre-commit`,
  ];
}

const POINTER = [
  "echo gitdir: evil > .git",
  "rm .git",
  "rm -r .git",
  "mv .git moved",
  "mkdir .git",
  "mkdir n && mv -T n .git",
  "echo gitdir: evil > n2 && mv -f n2 .git",
  "ln -sfn evil .git",
];

/** Nothing that is tried changes the tree, and the control is written. */
function expectKept(
  place: ReturnType<typeof placeFor>,
  tries: readonly string[],
  flags?: string[],
) {
  const base = path.dirname(place.workspace);
  const before = treeOf(base);
  const script = `${attempts(tries)}\nrm -rf n n2; echo control > control && echo wrote`;
  const { stdout, stderr } = place.sh(script, flags);
  expect(stdout, stderr).toBe("wrote\n");
  const after = treeOf(base).filter((line) => !/^(ws\/control|home\/)/.test(line));
  expect(after).toEqual(before.filter((line) => !line.startsWith("home/")));
}

describe.each(USERS)("git, as %s", (user) => {
  it("B1 B2 B3 refuses to change a repository at the top of the workspace", () => {
    const place = placeFor(user);
    layOut(place.workspace, repositoryAt(".git"));
    expectKept(place, triesOn(".git"));
  });

  it.each([
    ["real", "workspace-write"],
    ["./real", "carve-out"],
    ["deep/real", "restricted-read"],
  ] as const)(
    "B3 case 43 refuses to change .git and the folder of the workspace that it points to: %s in %s",
    (pointer, mode) => {
      const place = placeFor(user);
      layOut(place.workspace, { ".git": `gitdir: ${pointer}\n`, ...repositoryAt(pointer) });
      const flags = flagsOf(mode, place);
      expectKept(place, [...POINTER, ...triesOn(pointer), "mv deep away"], flags);
    },
  );

  it("B3 case 44 refuses to change a worktree's folder and the repository it shares", () => {
    const place = placeFor(user);
    const main = path.join(place.outside, "projects/main");
    const own = path.join(main, ".git/worktrees/wt");
    layOut(main, repositoryAt(".git", { "worktrees/wt/commondir": "../..\n" }));
    layOut(main, { ".git/worktrees/wt/gitdir": `${place.workspace}/.git\n` });
    layOut(place.workspace, { ".git": `gitdir: ${own}\n` });
    const flags = ["--sandbox", "workspace-write", "--add-dir", place.outside];
    const tries = [
      ...POINTER,
      ...triesOn(path.join(main, ".git")),
      `echo ../../evil > ${own}/commondir`,
      `echo evil > ${own}/gitdir`,
      `echo evil > ${own}/config.worktree`,
      `mv ${main} ${main}2`,
      `mv ${place.outside}/projects ${place.outside}/p2`,
    ];
    expectKept(place, tries, flags);
  });

  it("B3 refuses to change the folder that a repository which is a folder shares", () => {
    const place = placeFor(user);
    layOut(place.workspace, { ".git/commondir": "../elsewhere\n", ...repositoryAt("elsewhere") });
    expectKept(place, triesOn("elsewhere"));
  });

  it("B3 refuses to make the folder that .git points to where it is missing", () => {
    const place = placeFor(user);
    layOut(place.workspace, { ".git": "gitdir: later/real\n" });
    expectKept(place, [...POINTER, "mkdir -p later/real/hooks", "mkdir later", "ln -s n later"]);
  });

  it.each([
    ["says nothing known", "nothing to see\n"],
    ["points to nothing", "gitdir:\n"],
    ["is empty", ""],
  ])("B3 B4 case 45, 48 refuses to change a .git file that %s, and it stays", (_, text) => {
    const place = placeFor(user);
    layOut(place.workspace, { ".git": text });
    expectKept(place, POINTER);
  });

  it("B4 case 48 refuses to change an empty .git folder, and it stays", () => {
    const place = placeFor(user);
    layOut(place.workspace, { ".git/": "" });
    expectKept(place, [...POINTER, "mkdir .git/hooks", "rmdir .git"]);
  });

  it("B4 case 49 refuses to change a file in the place of a protected folder", () => {
    const place = placeFor(user);
    layOut(place.workspace, { ".agents": "not a folder\n", ".codex": "" });
    const tries = [".agents", ".codex"].flatMap((name) =>
      POINTER.map((line) => line.replaceAll(".git", name)),
    );
    expectKept(place, tries);
  });

  it.each([
    ["a link that the command may turn", () => ["link", "real"] as const],
    ["a name that is not UTF-8", () => [Buffer.from("gitdir: r\xe9al\n", "latin1")] as const],
  ])("B3 refuses to start where .git points through %s", (_, pointer) => {
    const { workspace, sh } = placeFor(user);
    const [text, target] = pointer();
    layOut(workspace, repositoryAt("real"));
    fs.writeFileSync(path.join(workspace, ".git"), target ? `gitdir: ${text}\n` : text);
    if (target) fs.symlinkSync(target, path.join(workspace, String(text)));
    expect(sh("touch ran")).toMatchObject({ status: 125, stdout: "" });
    expect(fs.existsSync(path.join(workspace, "ran"))).toBe(false);
  });

  it("B3 leaves a repository alone that the policy reopens by name", () => {
    const place = placeFor(user);
    layOut(place.workspace, repositoryAt(".git"));
    const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\n".git" = "write"\n`;
    const file = path.join(place.outside, "open.toml");
    fs.writeFileSync(file, toml);
    expect(place.sh("echo x > .git/new", ["--profile", file]).status).toBe(0);
    expect(fs.existsSync(path.join(place.workspace, ".git/new"))).toBe(true);
  });
});
