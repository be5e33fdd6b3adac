import { execFileSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { settle } from "../support/fake-clock.ts";
import type { CommandScript } from "../support/fake-command.ts";
import { realCommand } from "../support/real-command.ts";
import { sessionLab } from "../support/session-lab.ts";

/** The real grep on real files, where a sandbox would be. */
function searched(files: Readonly<Record<string, string>>) {
  const made = sessionLab();
  const folder = temporaryFolder(files);
  made.provider.onCreate = (sandbox) => {
    sandbox.script = realCommand(folder);
  };
  const grep = async (input: object) => {
    const { value } = await made.tool("grep", input);
    return value as { lines: { path: string; line: number; kind: string; text: string }[] };
  };
  return { ...made, folder, grep };
}

function scripted(script: CommandScript) {
  const made = sessionLab();
  made.provider.onCreate = (sandbox) => {
    sandbox.script = () => script;
  };
  return made;
}

const match = (path: string, line: number, text: string) => ({
  ...{ path, line, kind: "match", text, isCut: false },
});

describe("grep", () => {
  it("finds lines in files below a folder, and skips what nobody means", async () => {
    const { grep } = searched({
      ...{
        "a.ts": "x\nfoo(1)\n",
        "b/c.md": "foo: 1-2\n",
        ".git/d": "foo",
        "node_modules/e": "foo",
      },
    });
    const { lines } = await grep({ pattern: "fo+" });
    expect(lines.sort((a, b) => a.path.localeCompare(b.path))).toEqual([
      match("a.ts", 2, "foo(1)"),
      match("b/c.md", 1, "foo: 1-2"),
    ]);
  });

  it("gives a file with a line end in its name that name, and no other", async () => {
    const { grep } = searched({ "g/x\nsrc/real.ts": "foo\n", "src/real.ts": "bar\n" });
    const { lines } = await grep({ pattern: "foo" });
    expect(lines.map(({ path }) => path)).toEqual(["g/x\nsrc/real.ts"]);
  });

  it("waits for no pipe that it is pointed at or meets", async () => {
    const { folder, grep } = searched({ "a.ts": "foo\n" });
    execFileSync("mkfifo", [path.join(folder, "pipe")]);
    expect((await grep({ pattern: "foo", path: "pipe" })).lines).toEqual([]);
    expect((await grep({ pattern: "foo" })).lines).toEqual([match("a.ts", 1, "foo")]);
  });

  it("searches a skipped folder where it is asked for by name", async () => {
    const { grep } = searched({ "node_modules/e": "foo" });
    const { lines } = await grep({ pattern: "foo", path: "node_modules" });
    expect(lines).toEqual([match("node_modules/e", 1, "foo")]);
  });

  it("takes a pattern literally, without case, for some names only, with lines around", async () => {
    const { grep } = searched({ "a.ts": "one\nA.b-1\nthree\n", "a.md": "a.b-1\n" });
    const input = { pattern: "a.B", literal: true, ignoreCase: true, glob: "*.ts", context: 1 };
    expect(await grep(input)).toMatchObject({
      isCut: false,
      lines: [
        { path: "a.ts", line: 1, kind: "context", text: "one" },
        { path: "a.ts", line: 2, kind: "match", text: "A.b-1" },
        { path: "a.ts", line: 3, kind: "context", text: "three" },
      ],
    });
  });

  it("reads neither patterns nor paths as options", async () => {
    const { grep } = searched({ "-v": "-r x\n" });
    expect(await grep({ pattern: "-r", path: "-v" })).toMatchObject({
      lines: [match("-v", 1, "-r x")],
    });
  });

  it("says nothing where nothing matches, and refuses what is no pattern or no path", async () => {
    const { grep } = searched({ a: "x" });
    expect(await grep({ pattern: "foo" })).toMatchObject({ lines: [], isCut: false, reasons: [] });
    await expect(grep({ pattern: "(" })).rejects.toMatchObject({ code: "invalidInput" });
    await expect(grep({ pattern: "a", path: "none" })).rejects.toMatchObject({
      ...{ code: "notFound", message: expect.stringContaining('"none": No such file') },
    });
  });

  it("names the receipt of a search that failed", async () => {
    const { grep } = searched({ a: "x" });
    const receiptId = expect.stringMatching(/^receipt-/);
    await expect(grep({ pattern: "(" })).rejects.toMatchObject({ receiptId });
    await expect(grep({ pattern: "a", path: "none" })).rejects.toMatchObject({ receiptId });
    const { tool } = scripted({ exitCode: 127 });
    await expect(tool("grep", { pattern: "x" })).rejects.toMatchObject({ receiptId });
  });

  it("stops after 100 matches, or after fewer where that is wanted", async () => {
    const { grep, provider } = searched({ a: "foo\n".repeat(101) });
    const all = await grep({ pattern: "foo" });
    expect(all).toMatchObject({ isCut: true, reasons: ["matches"] });
    expect(all.lines).toHaveLength(100);
    expect((await grep({ pattern: "foo", limit: 3 })).lines).toHaveLength(3);
    expect(provider.at(1).running.every(({ isKilled }) => isKilled)).toBe(true);
  });

  it("is not cut where there are just as many as wanted", async () => {
    const { grep } = searched({ a: "foo\n".repeat(100) });
    expect(await grep({ pattern: "foo" })).toMatchObject({ isCut: false });
  });

  it("cuts lines at 500 characters, whatever their length", async () => {
    const { grep } = searched({
      a: `${"é".repeat(501)}\n`,
      b: `${"x".repeat(1 << 20)}é\nshort é\n`,
    });
    const result = await grep({ pattern: "é" });
    expect(result).toMatchObject({ isCut: true, reasons: ["characters"] });
    const byPath = Object.fromEntries(
      result.lines.map(({ path, line, text }) => [path + line, text]),
    );
    expect(byPath).toEqual({ a1: "é".repeat(500), b1: "x".repeat(500), b2: "short é" });
  });

  it("cuts no character in two", async () => {
    const { grep } = searched({ a: `x${"😀".repeat(300)} foo\n` });
    const { lines } = await grep({ pattern: "foo" });
    expect(lines[0]?.text.isWellFormed()).toBe(true);
  });

  it("counts what it found where it could not read everything", async () => {
    const { tool } = scripted({ stdout: "a\x001:foo\n", stderr: "Permission denied", exitCode: 2 });
    const { value } = await tool("grep", { pattern: "foo" });
    expect(value).toMatchObject({ lines: [match("a", 1, "foo")] });
  });

  const complaining = (...complaints: readonly string[]) =>
    scripted({ stderr: complaints.map((one) => `grep: ${one}\n`).join(""), exitCode: 2 });

  it("finds nothing, and says what it could not read, where a part is closed", async () => {
    const closed = Array.from({ length: 25 }, (_, at) => `./closed-${at}: Permission denied`);
    const { tool } = complaining(...closed, "./loop: warning: recursive directory loop");
    const { value } = await tool("grep", { pattern: "foo" });
    expect(value).toMatchObject({ lines: [], isCut: false, unread: { total: 25 } });
    const { paths } = (value as { unread: { paths: string[] } }).unread;
    expect([paths.length, paths[0]]).toEqual([20, "closed-0"]);
  });

  it.each([
    ["forbidden", "src", "src: Permission denied"],
    ["forbidden", "src/", "src/: Permission denied"],
    ["notFound", "/a: b", "/a: b: No such file or directory"],
    ["invalidInput", "a", "Unmatched ( or \\("],
    ["invalidInput", "a", "ab: Permission denied"],
  ])("is %s where it is pointed at %s and says %s", async (code, path, complaint) => {
    const { tool } = complaining(complaint);
    await expect(tool("grep", { pattern: "(", path })).rejects.toMatchObject({ code });
  });

  it("says that a sandbox has no grep", async () => {
    const { tool } = scripted({ exitCode: 127 });
    await expect(tool("grep", { pattern: "x" })).rejects.toMatchObject({ code: "unsupported" });
  });

  it("is killed when it is cancelled or takes too long", async () => {
    const { tool, provider, clock } = scripted({ stdout: "a\x001:foo\n", exitCode: null });
    const cancel = new AbortController();
    const cancelled = tool("grep", { pattern: "x" }, cancel.signal);
    await settle();
    cancel.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "aborted" });
    const slow = tool("grep", { pattern: "x" });
    await clock.pass(60_000);
    expect((await slow).value).toMatchObject({ lines: [{ path: "a" }], reasons: ["time"] });
    expect(provider.at(1).running.every(({ isKilled }) => isKilled)).toBe(true);
  });
});
