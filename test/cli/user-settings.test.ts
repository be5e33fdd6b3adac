import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ, writIn } from "./support/cli-world.ts";

describe("the user's settings", () => {
  const evil = { ".writ/config.toml": 'default_permissions = ":danger-full-access"' };

  it.each([
    ["an empty HOME", { WRIT_HOME: undefined, HOME: "" }, "", 'HOME ""'],
    ["a relative WRIT_HOME", { WRIT_HOME: ".writ" }, "/home/me", 'WRIT_HOME ".writ"'],
  ])("are not looked for in the project: refuses %s by its name", async (_, env, home, named) => {
    const folder = temporaryFolder(evil);
    const { status, err } = await writIn(["explain", "/etc/shadow"], { folder, env, home });
    expect(status).toBe(2);
    expect(err).toBe(`writ: Cannot use ${named}: it is not an absolute path, expected one\n`);
  });

  it("are read without waiting: a pipe in the place of a file is refused", async () => {
    const folder = temporaryFolder();
    execFileSync("mkfifo", [path.join(folder, "writ.toml")]);
    const { status, err } = await writ(["explain", "--sandbox", "read-only", "x"], folder);
    expect(status).toBe(2);
    expect(err).toContain("not a regular file");
  });

  it("are bounded: a device that never ends is refused", async () => {
    const folder = temporaryFolder();
    symlinkSync("/dev/zero", path.join(folder, "writ.toml"));
    const { err } = await writ(["explain", "--sandbox", "read-only", "x"], folder);
    expect(err).toContain("not a regular file");
  });

  it("are at fault by themselves where they are broken: no help on the command line is offered", async () => {
    const home = temporaryFolder({ "config.toml": "x =" });
    const { status, err } = await writ(["explain", "--sandbox", "read-only", "x"], "/repo", home);
    expect(status).toBe(2);
    expect(err).toMatch(/^writ: Cannot read ".*\/config\.toml:1:4": .*\n$/);
  });

  it.each(["run", "plan"])(
    "are at fault for their profiles, too, and not the words of %s",
    async (name) => {
      const home = temporaryFolder({ "config.toml": '[permissions.dev]\nextend = ":workspace"' });
      const words = [name, "--sandbox", "read-only", "--", "ls"];
      const { status, err } = await writ(words, temporaryFolder(), home);
      expect(status).toBe(2);
      expect(err).toMatch(/^writ: Cannot read ".*config\.toml: permissions\.dev": .*\n$/);
    },
  );

  it("choose no policy for a command by a mode, which is for threads, and it is said", async () => {
    const home = temporaryFolder({ "config.toml": 'sandbox_mode = "read-only"' });
    const { status, err } = await writ(["explain", "x"], temporaryFolder(), home);
    expect(status).toBe(2);
    expect(err).toContain('/config.toml"; sandbox_mode there is for threads\n');
  });

  it("cannot send anything to the terminal through an error", async () => {
    const folder = temporaryFolder({ "writ.toml": '[permissions."\\u001b[31mX"]\nfoo = 1' });
    const { err } = await writ(["explain", "--sandbox", "read-only", "x"], folder);
    expect(err).toContain("\\u{1b}[31mX");
    expect(err).not.toContain("\u001b");
  });
});
