/**
 * Somebody swaps what lies in the workspace while file operations work there.
 *
 * Folders for links to the outside, files for links to a secret, nothing for a dangling link. The
 * number of rounds is fixed; what is asserted is what must never have happened.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLocalFiles } from "../../../src/exec/files/create-local-files.ts";
import { FileError } from "../../../src/exec/files/file-error.ts";
import { intentOfWire } from "../../../src/exec/intent/intent-of-wire.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import { contextFor, hostFor, WORKSPACE_WRITE } from "../../exec/files/support/file-client.ts";
import type { Rule } from "../../policy/support/profiles.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { CALL } from "../red-team/paths/support/path-calls.ts";

const ROUNDS = 600;
const bytes = Buffer.from("written");

function layOut(rules: readonly Rule[] = WORKSPACE_WRITE) {
  const base = fs.realpathSync(
    temporaryFolder({
      "ws/d/f": "inside",
      "ws/d/sub/g": "inside",
      "ws/report.json": "inside",
      "ws/from/a": "a",
      "ws/from/b/c": "c",
      "out/f": "secret",
      "out/sub/g": "secret",
    }),
  );
  fs.symlinkSync(path.join(base, "out"), path.join(base, "ws/x"));
  fs.symlinkSync(path.join(base, "out/f"), path.join(base, "ws/y"));
  const workspace = path.join(base, "ws");
  const there = rules.map(([target, ...rest]): Rule => [target.replace(/^~/, base), ...rest]);
  const sandbox = intentOfWire(contextFor(workspace, there), "client");
  const files = createLocalFiles(hostFor());
  const at = (name: string) => ({
    path: uriOfNative(path.join(base, name)),
    links: "follow" as const,
    sandbox,
    anchor: null,
  });
  return { base, workspace, files, at };
}

/** Swaps pairs of names in a folder for as long as the test runs. */
async function swapIn(folder: string, ...pairs: readonly (readonly [string, string])[]) {
  const list = pairs.map(([from, to]) => `["${from}", "${to}"]`).join();
  const script = `
    $| = 1; print "ready\\n";
    my @pairs = (${list});
    for (;;) { for (@pairs) { my ($from, $to) = @$_; syscall(${CALL.renameat2}, -100, $from, -100, $to, 2) } }`;
  const swapper = spawn("/usr/bin/perl", ["-e", script], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    swapper.kill("SIGKILL");
    if (swapper.exitCode === null && swapper.signalCode === null) await once(swapper, "exit");
  });
  await once(swapper.stdout, "data");
}

/** Makes every attempt many times; says how often any worked. Nothing but a `FileError` may come out. */
async function attempt(...tries: readonly (() => Promise<unknown>)[]): Promise<number> {
  let worked = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const one of tries) {
      try {
        await one();
        worked += 1;
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
      }
    }
  }
  return worked;
}

function contents(folder: string): string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return names.map((name) => {
    const at = path.join(folder, name);
    return fs.statSync(at).isFile() ? `${name}: ${fs.readFileSync(at, "utf8")}` : name;
  });
}

const descriptors = () => fs.readdirSync("/proc/self/fd").length;

describe("while names are swapped", () => {
  it("D1 D3 D4 nothing is written, made or removed outside", async () => {
    const { base, workspace, files, at } = layOut();
    const before = contents(path.join(base, "out"));
    const open = descriptors();
    await swapIn(workspace, ["d", "x"]);
    const worked = await attempt(
      () => files.writeFile(at("ws/d/f"), bytes),
      () => files.writeFile(at("ws/d/new"), bytes),
      () => files.remove(at("ws/d/new"), { recursive: false, force: true }),
      () => files.remove(at("ws/d/f"), { recursive: false, force: false }),
      () => files.createDirectory(at("ws/d/sub/deep/er"), { recursive: true }),
      () => files.remove(at("ws/d/sub"), { recursive: true, force: true }),
      async () => (await files.open(at("ws/d/f"), "replace")).close(),
    );
    expect(worked).toBeGreaterThan(0);
    expect(contents(path.join(base, "out"))).toEqual(before);
    await expect.poll(descriptors).toBeLessThanOrEqual(open + 2);
  });

  it("D2 nothing is made through a dangling link", async () => {
    const { base, workspace, files, at } = layOut();
    fs.symlinkSync(path.join(base, "out/made"), path.join(workspace, "dangling"));
    fs.symlinkSync("made-inside", path.join(workspace, "dangling-inside"));
    await swapIn(workspace, ["report.json", "dangling"], ["d/f", "dangling-inside"]);
    const worked = await attempt(
      () => files.writeFile(at("ws/report.json"), bytes),
      () => files.writeFile(at("ws/d/f"), bytes),
    );
    expect(worked).toBeGreaterThan(0);
    expect(fs.existsSync(path.join(base, "out/made"))).toBe(false);
    expect(fs.existsSync(path.join(workspace, "made-inside"))).toBe(false);
    expect(fs.existsSync(path.join(workspace, "d/made-inside"))).toBe(false);
  });

  it("D5 nothing of a hidden file is read, listed or copied", async () => {
    const { base, workspace, files, at } = layOut([...WORKSPACE_WRITE, ["~/out", "deny"]]);
    await swapIn(workspace, ["report.json", "y"], ["d", "x"]);
    const seen = new Set<string>();
    const read = async (name: string) =>
      seen.add(Buffer.from(await files.readFile(at(name))).toString());
    const worked = await attempt(
      () => read("ws/report.json"),
      () => read("ws/d/f"),
      async () => {
        const file = await files.open(at("ws/report.json"), "read");
        seen.add(Buffer.from((await file.read(0, 99)).chunk).toString());
        await file.close();
      },
      () => files.copy(at("ws/d"), at("ws/copy"), { recursive: true }),
    );
    expect(worked).toBeGreaterThan(0);
    expect([...seen]).toEqual(["inside"]);
    const copied = path.join(workspace, "copy");
    const isLink = fs.lstatSync(copied, { throwIfNoEntry: false })?.isSymbolicLink();
    if (!isLink && fs.existsSync(copied)) expect(contents(copied).join()).not.toContain("secret");
    expect(fs.readFileSync(path.join(base, "out/f"), "utf8")).toBe("secret");
  });

  it("D6 a tree is not copied to where a link leads", async () => {
    const { base, workspace, files, at } = layOut();
    const before = contents(path.join(base, "out"));
    await swapIn(workspace, ["d", "x"]);
    const worked = await attempt(
      () => files.copy(at("ws/from"), at("ws/d"), { recursive: true }),
      () => files.copy(at("ws/from"), at("ws/d/sub"), { recursive: true }),
      () => files.copy(at("ws/from/a"), at("ws/d/f"), { recursive: false }),
    );
    expect(worked).toBeGreaterThan(0);
    expect(contents(path.join(base, "out"))).toEqual(before);
  });
});

describe("D10 a workspace root that is a link", () => {
  function linked(rules: readonly Rule[]) {
    const { base, files } = layOut();
    fs.mkdirSync(path.join(base, "links"));
    const root = path.join(base, "links/root");
    fs.symlinkSync("../ws", root);
    const there = rules.map(([target, ...rest]): Rule => [target.replace(/^~/, base), ...rest]);
    const sandbox = intentOfWire(contextFor(root, there), "client");
    const at = (name: string) => ({
      path: uriOfNative(path.join(base, name)),
      links: "follow" as const,
      sandbox,
      anchor: null,
    });
    return { base, root, files, at };
  }

  it("is refused where the command could turn the link", async () => {
    const { files, at } = linked([...WORKSPACE_WRITE, ["~/links", "write"]]);
    await expect(files.writeFile(at("links/root/f"), bytes)).rejects.toMatchObject({
      code: "unenforceable",
    });
  });

  it("is the new one once it was turned, and what is open stays what it was", async () => {
    const { base, root, files, at } = linked(WORKSPACE_WRITE);
    const opened = await files.open(at("links/root/kept"), "replace");
    fs.mkdirSync(path.join(base, "next"));
    fs.rmSync(root);
    fs.symlinkSync("../next", root);
    await files.writeFile(at("links/root/f"), bytes);
    await opened.write(0, bytes);
    await opened.close();
    expect(contents(path.join(base, "next"))).toEqual(["f: written"]);
    expect(fs.readFileSync(path.join(base, "ws/kept"), "utf8")).toBe("written");
    await expect(files.writeFile(at("out/f"), bytes)).rejects.toMatchObject({ code: "readOnly" });
  });
});
