/** Protected names, cases 37 to 50, on the kernel. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { USERS } from "../support/sandbox-user.ts";
import { type Found, SpecPlace } from "./spec-place.ts";

const NAMES = [".git", ".agents", ".codex", ".aws"];
/** Codex leaves these writable. */
const OWN_NAMES = [".writ", ".claude", ".vscode", ".idea", ".devcontainer"];
const OWN_FILES = [".envrc", ".mcp.json", "writ.toml"];
const WORKSPACE: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];

function all(names: readonly string[], found: Found): Record<string, Found> {
  return Object.fromEntries(names.map((name) => [`/r/${name}`, found]));
}

describe.each(USERS)("protected names as %s", (user) => {
  it("case 37: all are read-only, also folders and files that Codex leaves writable", () => {
    const files = [...[...NAMES, ...OWN_NAMES].map((name) => `${name}/f`), ...OWN_FILES];
    const place = new SpecPlace(user, ...files, "f");
    place.write("writ.toml", "");
    const expected = { ...all(files, "R-"), "/r/f": "RW" };
    expect(place.probe(place.state(WORKSPACE), Object.keys(expected))).toEqual(expected);
  });

  it("case 38: further down the names are free", () => {
    const place = new SpecPlace(user, "sub/.git/x");
    expect(place.probe(place.state(WORKSPACE), ["/r/sub/.git/x"])).toEqual({
      "/r/sub/.git/x": "RW",
    });
  });

  it("case 39: the missing ones are empty folders that nothing can be made in, and gone afterwards", () => {
    const place = new SpecPlace(user, "f");
    const made = NAMES.map((name) => `mkdir ${name} ${name}/objects && echo made ${name}`);
    const script = `ls -A ${NAMES.join(" ")}; ${made.join("; ")}; echo w >> f && echo control`;
    const { stdout } = place.sh(script, place.state(WORKSPACE));
    const listed = [...NAMES].sort().map((name) => `${name}:\n`);
    expect(stdout).toBe(`${listed.join("\n")}control\n`);
    expect(readdirSync(place.at("/r"))).toEqual(["f"]);
  });

  it.each<[string, Rule, Record<string, Found>]>([
    [
      "case 40: a write rule on .codex opens it and nothing else",
      ["/r/.codex", "write"],
      { "/r/.codex/f": "RW", "/r/.git/config": "R-" },
    ],
    [
      "case 41: a write rule on .git/hooks opens the hooks alone",
      ["/r/.git/hooks", "write"],
      { "/r/.git/hooks/x": "RW", "/r/.git/config": "R-", "/r/.git": "R-" },
    ],
    [
      "case 42: a write rule on the symbolic .git opens it",
      [":workspace_roots/.git", "write"],
      { "/r/.git/config": "RW", "/r/.git/hooks/x": "RW", "/r/.codex/f": "R-" },
    ],
  ])("%s", (_, rule, expected) => {
    const place = new SpecPlace(user, ".codex/f", ".git/config", ".git/hooks/x");
    expect(place.probe(place.state([...WORKSPACE, rule]), Object.keys(expected))).toEqual(expected);
  });

  it("case 43: a .git file protects the folder it points to as well", () => {
    const place = new SpecPlace(user, "real/config", "other/f", ".git");
    place.write(".git", "gitdir: real\n");
    const paths = ["/r/.git", "/r/real/config", "/r/real", "/r/other/f"];
    expect(Object.values(place.probe(place.state(WORKSPACE), paths))).toEqual([
      "R-",
      "R-",
      "R-",
      "RW",
    ]);
  });

  it.each([
    ["case 42: a write rule on a .git file does not open the folder it points to", [], "R-"],
    ["case 42: one on that folder does", [["/r/real", "write"]], "RW"],
  ] as const)("%s", (_, more: readonly Rule[], found) => {
    const place = new SpecPlace(user, "real/config", ".git");
    place.write(".git", "gitdir: real\n");
    const flags = place.state([...WORKSPACE, ["/r/.git", "write"], ...more]);
    expect(place.probe(flags, ["/r/.git", "/r/real/config"])).toEqual({
      "/r/.git": "RW",
      "/r/real/config": found,
    });
  });

  it("case 44: a worktree protects its folder and the common one in another writable root", () => {
    const place = new SpecPlace(
      user,
      ".git",
      "f",
      "/o/main/git/worktrees/w/HEAD",
      "/o/main/git/config",
      "/o/main/f",
    );
    place.write(".git", `gitdir: ${place.at("/o/main/git/worktrees/w")}\n`);
    const flags = place.state([...WORKSPACE, ["/o/main", "write"]]);
    const expected: Record<string, Found> = {
      "/r/.git": "R-",
      "/r/f": "RW",
      "/o/main/git/worktrees/w/HEAD": "R-",
      "/o/main/git/config": "RW",
      "/o/main/f": "RW",
    };
    expect(place.probe(flags, Object.keys(expected))).toEqual(expected);
    place.write("../outside/main/git/worktrees/w/commondir", "../..\n");
    expect(place.probe(flags, ["/o/main/git/config", "/o/main/f"])).toEqual({
      "/o/main/git/config": "R-",
      "/o/main/f": "RW",
    });
  });

  it.each(["gitdir real", "gitdir:", "\0"])(
    "case 45: a .git file that says %j is read-only itself, and closes nothing else",
    (text) => {
      const place = new SpecPlace(user, "real/config", ".git");
      place.write(".git", text);
      expect(place.probe(place.state(WORKSPACE), ["/r/.git", "/r/real/config"])).toEqual({
        "/r/.git": "R-",
        "/r/real/config": "RW",
      });
    },
  );

  it("case 45: a .git file that points to nothing keeps it so, where Codex lets a repository be made", () => {
    const place = new SpecPlace(user, ".git", "f");
    place.write(".git", "gitdir: gone/deep\n");
    const found = place.probe(place.state(WORKSPACE), [
      "/r/.git",
      "/r/gone",
      "/r/gone/deep",
      "/r/f",
    ]);
    expect(Object.values(found)).toEqual(["R-", "R-", "missing", "RW"]);
    expect(place.exists("/r/gone")).toBe(false);
  });

  it.each([
    ["case 46: a .codex that is a link inside the root", ".codex", "/r/real"],
    ["case 47: a .git that is a link out of the root", ".git", "/o/real"],
  ])("%s is refused", (_, name, target) => {
    const place = new SpecPlace(user, `${target}/`, [name, target]);
    const { status, stderr } = place.refused(place.state(WORKSPACE));
    expect(status).toBe(125);
    expect(stderr).toContain(`link "${place.at(`/r/${name}`)}"`);
  });

  it("case 48: an empty .git folder, and an empty .git file, are covered and still there afterwards", () => {
    for (const name of [".git/", ".git"]) {
      const place = new SpecPlace(user, name);
      if (name === ".git") place.write(".git", "");
      expect(place.probe(place.state(WORKSPACE), ["/r/.git"])).toEqual({ "/r/.git": "R-" });
      expect(place.exists("/r/.git")).toBe(true);
    }
  });

  it("case 49: an .agents that is a file is read-only", () => {
    const place = new SpecPlace(user, ".agents");
    expect(place.probe(place.state(WORKSPACE), ["/r/.agents"])).toEqual({ "/r/.agents": "R-" });
  });

  it("case 50: a protected name can neither be moved nor removed", () => {
    const place = new SpecPlace(user, ".git/config");
    const script = "mv .git g2; rm -rf .git; rm .git/config; echo control >&2";
    const { stderr } = place.sh(`LC_ALL=C; export LC_ALL; ${script}`, place.state(WORKSPACE));
    expect(stderr).toMatch(/^mv: .*busy\nrm: .*Read-only.*\n(rm: .*\n)*control\n$/);
    expect(place.text("/r/.git/config")).toBe("before");
    expect(place.exists("/r/g2")).toBe(false);
  });
});
