import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "./support/repository.ts";
import { type Ran, runProgram, scratchFolder, writePrograms } from "./support/run-program.ts";

const LINUX = { uname: "echo Linux" };
const ROOT_USER = { id: "echo 0" };
const SOME_USER = { id: "echo 1000" };

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the script on a machine that has these programs and no others. */
function install(programs: Record<string, string>): Ran {
  writePrograms(folder, programs);
  return runProgram(path.join(ROOT, "tools/install-bubblewrap"), [], {
    env: { PATH: folder, HERE: folder, LOG: path.join(folder, "log"), DEBIAN_FRONTEND: undefined },
  });
}

/** An `apt-get` that logs its calls; `then` runs when it is asked to install. */
function aptGet(then: string): { "apt-get": string } {
  const log = 'echo "$DEBIAN_FRONTEND: $*" >>"$LOG"; echo noise';
  return { "apt-get": `${log}\ncase " $* " in *" install "*) ${then} ;; esac` };
}

const putBwrap = ': >"$HERE/bwrap"; /bin/chmod +x "$HERE/bwrap"';
const logged = () => {
  const log = path.join(folder, "log");
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
};

describe("tools/install-bubblewrap", () => {
  it("is quiet when bubblewrap is there", () => {
    const ran = install({ ...LINUX, ...ROOT_USER, ...aptGet("exit 1"), bwrap: "" });
    expect(ran).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(logged()).toEqual([]);
  });

  it("is quiet on macOS", () => {
    const ran = install({ uname: "echo Darwin", ...SOME_USER });
    expect(ran).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("installs it as root, asks nothing and says so in one line", () => {
    const ran = install({ ...LINUX, ...ROOT_USER, ...aptGet(putBwrap) });
    expect(ran).toEqual({
      status: 0,
      stdout: "bubblewrap is missing: installing it with apt-get\n",
      stderr: "",
    });
    expect(logged()).toEqual([
      expect.stringMatching(/^noninteractive: .*update/),
      expect.stringMatching(/^noninteractive: .*install -y .*bubblewrap$/),
    ]);
  });

  it.each([
    ["apt-get fails", "exit 100"],
    ["apt-get leaves no bwrap behind", "exit 0"],
  ])("fails when %s", (_, then) => {
    const { status, stderr } = install({ ...LINUX, ...ROOT_USER, ...aptGet(then) });
    expect(status).toBe(1);
    expect(stderr).toContain("apt-get could not install bubblewrap");
  });

  it.each([
    ["apt-get", "sudo apt-get install bubblewrap"],
    ["dnf", "sudo dnf install bubblewrap"],
    ["pacman", "sudo pacman -S bubblewrap"],
    ["apk", "sudo apk add bubblewrap"],
  ])("tells a user with %s what to run", (manager, command) => {
    const ran = install({ ...LINUX, ...SOME_USER, [manager]: 'echo called >>"$LOG"' });
    expect(ran).toEqual({
      status: 1,
      stdout: "",
      stderr: `Cannot confine commands: bubblewrap (bwrap) is missing. Run: ${command}\n`,
    });
    expect(logged()).toEqual([]);
  });

  it("tells root without apt-get what to run, without sudo", () => {
    const { status, stderr } = install({ ...LINUX, ...ROOT_USER, dnf: "" });
    expect(status).toBe(1);
    expect(stderr).toContain("Run: dnf install bubblewrap\n");
  });

  it("names what is missing when it knows no package manager", () => {
    const { status, stderr } = install({ ...LINUX, ...SOME_USER });
    expect(status).toBe(1);
    expect(stderr).toContain("bubblewrap (bwrap) is missing");
  });
});
