import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { bundledProgram } from "../../support/bundled-program.ts";
import { type ClientHome, clientHome } from "./support/client-home.ts";

const cli = bundledProgram(path.resolve(import.meta.dirname, "../../../src/cli/run-cli.ts"), [
  /^@/,
]);
const FILE = ".codex/config.toml";
const TEXT = `# ${"mine ".repeat(1000)}\na = 1\n`;

/** `writ install` in a process of its own, after lines of JavaScript that see `fs`. */
function installInProcess(
  client: "codex" | "claude",
  home: ClientHome,
  { before = "", limits = "" } = {},
): NodeJS.Signals | number {
  const script = `import fs from "node:fs";
    const { runCliIn } = await import(${JSON.stringify(pathToFileURL(cli()).href)});
    const world = { out() {}, err: (text) => process.stderr.write(text), env: {},
      cwd: "/", home: ${JSON.stringify(home.folder)}, hostname: "h", platform: "linux" };
    ${before}
    process.exitCode = await runCliIn(["install", "${client}", "--language", "node"], world);`;
  const start = `${limits} exec "$0" --input-type=module -e "$1"`;
  const { status, signal } = spawnSync("/bin/sh", ["-c", start, process.execPath, script]);
  return signal ?? status ?? -1;
}

describe("a fault while settings are written", () => {
  it("leaves the old file whole when it is killed before the new one takes its name", () => {
    const home = clientHome({ [FILE]: TEXT });
    const before = 'fs.renameSync = () => process.kill(process.pid, "SIGKILL");';
    expect(installInProcess("codex", home, { before })).toBe("SIGKILL");
    expect(home.read(FILE)).toBe(TEXT);
    expect(home.files()).toHaveLength(2);
    expect(installInProcess("codex", home)).toBe(0);
    expect(home.read(FILE)).toContain("[mcp_servers.node]");
  });

  it("leaves the old file whole, and no other, when the new one does not fit", () => {
    const text = JSON.stringify({ mine: TEXT });
    const home = clientHome({ ".claude.json": text });
    const before = 'process.on("SIGXFSZ", () => {});';
    expect(installInProcess("claude", home, { before, limits: "ulimit -f 1;" })).toBe(1);
    expect(home.read(".claude.json")).toBe(text);
    expect(home.files()).toEqual([".claude.json"]);
  });

  it.each([
    ["a full disk", "writeFileSync", "ENOSPC"],
    ["a disk that fails", "fsyncSync", "EIO"],
    ["a folder that cannot be written to", "renameSync", "EACCES"],
    ["an owner that cannot be kept", "fchmodSync", "EPERM"],
  ] as const)("says what happened, and leaves nothing, on %s", async (_, call, code) => {
    const home = clientHome({ ".claude.json": "{}" });
    using _fault = vi.spyOn(fs, call).mockImplementation(() => {
      throw Object.assign(new Error(`${code}: no`), { code, syscall: call });
    });
    const { status, err } = await home.install("claude", "--language", "node");
    expect({ status, err }).toEqual({
      status: 1,
      err: `writ: Cannot write "${path.join(home.folder, ".claude.json")}": ${code}: no\n`,
    });
    expect(home.read(".claude.json")).toBe("{}");
    expect(home.files()).toEqual([".claude.json"]);
  });

  it("refuses a folder in which no file can be made, whoever asks", async () => {
    const home = clientHome({}, () => ({ CODEX_HOME: "/proc/self/task" }));
    const { status, err } = await home.install("codex", "--language", "node");
    expect(status).toBe(1);
    expect(err).toMatch(/^writ: Cannot write "\/proc\/self\/task\/config.toml": /);
  });

  it("refuses to overwrite what somebody else wrote meanwhile", async () => {
    const home = clientHome({ ".claude.json": "{}" });
    const file = path.join(home.folder, ".claude.json");
    const sync = fs.fsyncSync;
    using _other = vi.spyOn(fs, "fsyncSync").mockImplementation((fd) => {
      fs.writeFileSync(file, '{"theirs": 1}');
      sync(fd);
    });
    const { status, err } = await home.install("claude", "--language", "node");
    expect(status).toBe(1);
    expect(err).toContain("it was changed meanwhile");
    expect(home.files()).toEqual([".claude.json"]);
    expect(home.read(".claude.json")).toBe('{"theirs": 1}');
  });
});

describe("the file that is written", () => {
  it("has the mode of the old one", async () => {
    const home = clientHome({ [FILE]: "" });
    const file = path.join(home.folder, FILE);
    for (const mode of [0o600, 0o644, 0o640]) {
      fs.writeFileSync(file, "");
      fs.chmodSync(file, mode);
      await home.install("codex", "--language", "node");
      expect(fs.statSync(file).mode & 0o7777).toBe(mode);
    }
  });

  it("is the one behind a link, and the link stays", async () => {
    const home = clientHome({ "dotfiles/codex.toml": "a = 1\n", ".codex/x": "" });
    fs.symlinkSync("../dotfiles/codex.toml", path.join(home.folder, FILE));
    await home.install("codex", "--language", "node");
    expect(fs.readlinkSync(path.join(home.folder, FILE))).toBe("../dotfiles/codex.toml");
    expect(home.read("dotfiles/codex.toml")).toContain("[mcp_servers.node]");
    expect(home.files()).toEqual([FILE, ".codex/x", "dotfiles/codex.toml"]);
  });

  it.each([
    ["a link to nothing", (file: string) => fs.symlinkSync("nowhere", file), "a link to nothing"],
    ["a folder", (file: string) => fs.mkdirSync(file), "config.toml"],
    [
      "bytes that are no text",
      (file: string) => fs.writeFileSync(file, Buffer.of(0xff)),
      "config.toml",
    ],
  ])("is never %s", async (_, make, said) => {
    const home = clientHome({ ".codex/x": "" });
    make(path.join(home.folder, FILE));
    const { status, err } = await home.install("codex", "--language", "node");
    expect(status).toBe(1);
    expect(err).toContain(said);
  });
});
