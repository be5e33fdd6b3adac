import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../../src/agent/files/unified-diff.ts";
import { campaign } from "../../support/campaign.ts";
import { clientHome } from "./support/client-home.ts";

const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** What a diff makes of a text, read as patch(1) reads it. */
function applied(before: string, diff: string): string {
  const old = linesOf(before);
  const made: string[] = [];
  const open = diff.replaceAll("\n\\ No newline at end of file\n", "\0\n");
  for (const line of linesOf(open).slice(2)) {
    const [, start, count] = /^@@ -(\d+),(\d+) /.exec(line) ?? [];
    const text = line.slice(1).replace("\0\n", "");
    const passed = linesOf(before).length - old.length;
    if (start !== undefined) {
      made.push(...old.splice(0, Number(start) - (count === "0" ? 0 : 1) - passed));
      continue;
    }
    if (!line.startsWith("+")) expect(old.shift()).toBe(text);
    if (!line.startsWith("-")) made.push(text);
  }
  return [...made, ...old].join("");
}

const text = fc
  .tuple(
    fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { maxLength: 30 }),
    fc.constantFrom("", "z"),
  )
  .map(([lines, last]) => lines.join("") + last);

describe("unifiedDiff", () => {
  it("makes one text of the other, whatever they are", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = unifiedDiff({ name: "a", text: before }, { name: "b", text: after });
        expect(diff === "").toBe(before === after);
        expect(applied(before, diff)).toBe(after);
      }),
      campaign(3000),
    );
  });

  it("shows three lines around each change and joins those that meet", () => {
    const before = Array.from({ length: 30 }, (_, index) => `${index}\n`);
    const after = before.map((line, index) => ([5, 10, 25].includes(index) ? "new\n" : line));
    const diff = unifiedDiff(
      { name: "a", text: before.join("") },
      { name: "b", text: after.join("") },
    );
    expect(diff.match(/^@@.*$/gm)).toEqual(["@@ -3,12 +3,12 @@", "@@ -23,7 +23,7 @@"]);
  });
});

describe("writ install --dry-run", () => {
  it("prints a diff that is what install then does, and writes nothing", async () => {
    const text = 'a = 1\n\n[features]\ncode_mode = true\n\n[x]\nb = "last"';
    const home = clientHome({ ".codex/config.toml": text, ".claude.json": '{"a": 1}' });
    const before = fs.statSync(path.join(home.folder, ".codex")).mtimeMs;
    const { status, out } = await home.install("codex", "--dry-run");
    expect(status).toBe(0);
    expect(out.startsWith(`--- ${path.join(home.folder, ".codex/config.toml")}\n+++ `)).toBe(true);
    expect(home.read(".codex/config.toml")).toBe(text);
    expect(home.files()).toEqual([".claude.json", ".codex/config.toml"]);
    expect(fs.statSync(path.join(home.folder, ".codex")).mtimeMs).toBe(before);
    await home.install("codex");
    expect(applied(text, out)).toBe(home.read(".codex/config.toml"));
  });

  it("makes no folder and no file where there is none", async () => {
    const home = clientHome({});
    const { out } = await home.install("claude", "--dry-run");
    expect(out.match(/^--- \/dev\/null$/gm)).toHaveLength(2);
    expect(fs.readdirSync(home.folder)).toEqual([]);
  });

  it("agrees with diff(1)", async () => {
    const home = clientHome({
      ".codex/config.toml": "[features]\nx = 1\n",
      "old.toml": "[features]\nx = 1\n",
    });
    const { out } = await home.install("codex", "--dry-run");
    await home.install("codex");
    const names = ["old.toml", ".codex/config.toml"].map((name) => path.join(home.folder, name));
    const { stdout } = spawnSync("diff", ["-u", ...names], { encoding: "utf8" });
    expect(out.split("\n").slice(3)).toEqual(stdout.split("\n").slice(3));
  });
});
