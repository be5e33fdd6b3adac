import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ROOT, readText } from "./support/repository.ts";
import { runProgram, scratchFolder, writePrograms } from "./support/run-program.ts";

const OLDEST_NODE = 24;
const launcher = path.join(ROOT, "bin/writ");
const scratch = scratchFolder();
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readText("package.json")));
const printedVersion = { status: 0, stdout: expect.stringContaining(version), stderr: "" };
/** What to do about it: one command where the binary comes as a package. */
const remedy =
  process.platform === "linux"
    ? `Run: npm install node-linux-${process.arch}@24, then start it with npx; or install Node.js from nodejs.org`
    : "Install Node.js from nodejs.org";
const nodeOfThisRun = `exec "${process.execPath}" "$@"`;

afterAll(() => rmSync(scratch, { recursive: true }));

/** A folder for the `PATH` that has the launcher's own tools and `node` only if it is given. */
function pathWith(name: string, node?: string): string {
  const folder = writePrograms(path.join(scratch, name), {});
  for (const tool of ["dirname", "readlink"]) {
    const found = ["/usr/bin", "/bin"].map((bin) => path.join(bin, tool)).find(existsSync);
    symlinkSync(found ?? tool, path.join(folder, tool));
  }
  if (node) symlinkSync(node, path.join(folder, "node"));
  return folder;
}

/**
 * The installed package as somebody has it who brings their own Node: no `node_modules` inside.
 * One copy is enough for all that only start it.
 */
function installedCopy(): string {
  const copy = path.join(scratch, "installed");
  for (const part of existsSync(copy) ? [] : ["bin", "dist", "package.json"]) {
    cpSync(path.join(ROOT, part), path.join(copy, part), { recursive: true });
  }
  return path.join(copy, "bin/writ");
}

/** A Node of this machine that is too old, as a fresh Debian has; most others have none. */
function oldNode(): { node: string; version: string } | undefined {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => path.join(folder, "node"))
    .filter((node) => existsSync(node))
    .map((node) => ({ node, version: runProgram(node, ["-v"]).stdout.trim().slice(1) }))
    .find((found) => Number.parseInt(found.version, 10) < OLDEST_NODE);
}

describe("bin/writ", () => {
  it("prints its version from another folder", () => {
    expect(runProgram(launcher, ["--version"], { cwd: scratch })).toEqual(printedVersion);
  });

  it("keeps its compile cache out of the temporary folder, which a sandbox may write to", () => {
    const [home, tmp] = [path.join(scratch, "writ-home"), path.join(scratch, "tmp")];
    for (const folder of [home, tmp]) mkdirSync(folder, { mode: 0o700 });
    const env = { WRIT_HOME: home, TMPDIR: tmp, NODE_COMPILE_CACHE: undefined };
    expect(runProgram(launcher, ["--version"], { env })).toEqual(printedVersion);
    expect(readdirSync(tmp)).toEqual([]);
    expect(existsSync(path.join(home, "cache"))).toBe(true);
  });

  it("prints its version through a chain of links, relative ones included", () => {
    symlinkSync(launcher, path.join(scratch, "absolute"));
    symlinkSync("absolute", path.join(scratch, "relative"));
    expect(runProgram("./relative", ["--version"], { cwd: scratch })).toEqual(printedVersion);
  });

  it("does not depend on the PATH when the checkout brings its own Node", () => {
    // Only Linux has a platform package; elsewhere the Node that runs this test must do.
    const node = process.platform === "linux" ? "echo wrong node; exit 3" : nodeOfThisRun;
    const folder = writePrograms(pathWith("strange-node"), { node });
    const ran = runProgram(launcher, ["--version"], { env: { PATH: folder } });
    expect(ran).toEqual(printedVersion);
  });

  it("says that there is no Node", () => {
    const { status, stderr } = runProgram(installedCopy(), ["--version"], {
      env: { PATH: pathWith("no-node") },
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "writ: Cannot start: no Node.js on the PATH, expected version 24 or newer\n",
    });
  });

  it("refuses a Node that reports an old version, before it loads anything else", () => {
    const pretend = path.join(scratch, "pretend.mjs");
    const versions = '{ value: { ...process.versions, node: "22.11.0" } }';
    writeFileSync(pretend, `Object.defineProperty(process, "versions", ${versions});\n`);
    const { status, stdout, stderr } = runProgram(installedCopy(), ["--version"], {
      env: { PATH: pathWith("new-node", process.execPath), NODE_OPTIONS: `--import=${pretend}` },
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: `writ: Cannot start on Node.js 22.11.0: expected version 24 or newer\n${remedy}\n`,
    });
  });

  const old = oldNode();
  it.each(old ? [old] : [])("refuses the machine's own Node.js $version", (found) => {
    const { status, stdout, stderr } = runProgram(installedCopy(), ["--version"], {
      env: { PATH: pathWith("old-node", found.node), NODE_OPTIONS: "" },
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: `writ: Cannot start on Node.js ${found.version}: expected version 24 or newer\n${remedy}\n`,
    });
  });
});
