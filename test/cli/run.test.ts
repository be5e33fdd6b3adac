/** The command lines of `run` and `plan` as far as they get without a sandbox. */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

describe.each(["run", "plan"])("writ %s", (name) => {
  it("fits its help on a screen of 80 by 24, and says every exit status it gives", async () => {
    const { out, status } = await writ([name, "--help"]);
    const lines = out.trimEnd().split("\n");
    expect(status).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    for (const code of name === "run" ? [124, 125, 127, 2] : [125, 2]) {
      expect(out).toMatch(new RegExp(`\\b${code} (when|on)\\b`));
    }
  });

  it.each([
    ["no command", ["--sandbox", "read-only"], /no command was given, expected one after --/],
    [
      "a command without a name",
      ["--sandbox", "read-only", "--", ""],
      /Cannot (run|plan) "": it is empty, expected a program after --/,
    ],
    ["no policy", ["--", "ls"], /none was given, expected one of/],
    [
      "settings for a profile",
      ["--profile", path.resolve("examples/policy/writ.toml"), "--", "ls"],
      /as a profile: it is a file of settings, expected the keys of one \[permissions.NAME\]/,
    ],
    [
      "a folder that is not there",
      ["--sandbox", "read-only", "--add-dir", "/nope", "--", "ls"],
      /no such folder/,
    ],
    [
      "a folder without a name",
      ["--sandbox", "read-only", "--add-dir", "", "--", "ls"],
      /Cannot use --add-dir "": it is empty, expected a folder/,
    ],
    [
      "a file for a folder",
      ["--sandbox", "read-only", "--add-dir", "/etc/passwd", "--", "ls"],
      /it is a file, expected a folder/,
    ],
    [
      "no folder",
      ["--sandbox", "read-only", "-C", "/nope", "--", "ls"],
      /Cannot use -C "\/nope": there is no such folder, expected a folder/,
    ],
    [
      "a file for a folder to be in",
      ["--sandbox", "read-only", "-C", "/etc/passwd", "--", "ls"],
      /Cannot use -C "\/etc\/passwd": it is a file, expected a folder/,
    ],
    [
      "a file on the way to a folder",
      ["--sandbox", "read-only", "-C", "/etc/passwd/x", "--", "ls"],
      /no such folder/,
    ],
    ["no time", ["--sandbox", "read-only", "--timeout", "0", "--", "ls"], /expected seconds/],
    [
      "more time than a timer has",
      ["--sandbox", "read-only", "--timeout", "9999999", "--", "ls"],
      /expected seconds/,
    ],
    ["a flag without its value", ["--sandbox"], /--sandbox/],
  ])("exits 2 with a sentence and the way to the help on %s", async (_, args, message) => {
    const { status, out, err } = await writ([name, ...args]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(message);
    expect(err).toMatch(new RegExp(`^writ: .+\\nRun: writ ${name} --help\\n$`));
  });
});

describe.each(["run", "plan", "confine"])("the command of writ %s", (name) => {
  it.each([
    ["the mode", ["echo", "a", "--sandbox", "danger-full-access", "b"], "echo"],
    ["another mode", ["--sandbox", "read-only", "sh", "--sandbox=danger-full-access"], "sh"],
    ["the network", ["--sandbox", "read-only", "echo", "hi", "--network"], "echo"],
    ["a folder", ["--sandbox", "workspace-write", "touch", "x", "--add-dir", "/"], "touch"],
    ["what only it knows", ["--sandbox", "read-only", "ls", "-la"], "ls"],
    ["its own --", ["--sandbox", "read-only", "env", "--", "ls"], "env"],
    ["nothing", ["ls"], "ls"],
    ["an empty word", ["--sandbox", "read-only", "", "--network"], ""],
  ])(
    "is never asked for options: without -- it is refused, whatever it brings: %s",
    async (_, args, word) => {
      const { status, out, err } = await writ([name, ...args]);
      expect({ status, out }).toEqual({ status: 2, out: "" });
      expect(err).toBe(
        `writ: Cannot take "${word}" for a command: expected -- before it\nRun: writ ${name} --help\n`,
      );
    },
  );

  it.each([
    ["--sandbx read-only ls", /^writ: Cannot use "--sandbx": there is no such option/],
    ["--sandbox -- ls", /^writ: Cannot use "--sandbox": what follows begins with a dash/],
    ["--sandbox --network ls", /^writ: Cannot use "--sandbox": what follows begins with a dash/],
    ["--sandbox", /^writ: Cannot use "--sandbox": nothing follows/],
  ])("is not looked for where an option is wrong: %s", async (words, sentence) => {
    const { status, err } = await writ([name, ...words.split(" ")]);
    expect(status).toBe(2);
    expect(err).toMatch(sentence);
  });
});

describe("writ run --on", () => {
  const on = (address: string, token: string) => {
    const folder = temporaryFolder({ token });
    const flags = ["--sandbox", "read-only", "--on", address, "--token-file", "token"];
    return writ(["run", ...flags, "--", "ls"], folder, folder);
  };

  it("sends a token only where nobody else can read it", async () => {
    const { status, err } = await on("ws://192.0.2.1:4500", "secret");
    expect(status).toBe(2);
    expect(err).toContain(
      'writ: Cannot send a token to "ws://192.0.2.1:4500": others could read it, expected wss:// or this machine\n',
    );
    const way = await on("ws://127.0.0.1:1", "secret");
    expect(way).toMatchObject({ status: 125, err: expect.stringContaining("ECONNREFUSED") });
  });

  it.each(["foo", "", "ws://", "unix://", "unix://a/b", "http://127.0.0.1:1"])(
    "takes %j for no address: that is bad input",
    async (address) => {
      const flags = ["--sandbox", "read-only", `--on=${address}`];
      const { status, err } = await writ(["run", ...flags, "--", "ls"]);
      expect(status).toBe(2);
      expect(err).toContain(`Cannot use --on "${address}": it is no address, expected ws://`);
    },
  );

  it.each(["receipt", "token-file", "sign"])(
    "takes no --%s without a name for the current folder",
    async (option) => {
      const flags = ["--sandbox", "read-only", "--on", "ws://127.0.0.1:1", `--${option}`, ""];
      const { status, err } = await writ(["run", ...flags, "--", "ls"]);
      expect(status).toBe(2);
      expect(err).toContain(`writ: Cannot use --${option} "": it is empty, expected a file\n`);
    },
  );

  it("does not go on without the token that a file should hold", async () => {
    const { status, err } = await on("ws://127.0.0.1:1", "\n");
    expect(status).toBe(2);
    expect(err).toMatch(/Cannot use --token-file ".*\/token": it is empty, expected a token/);
  });

  it("says of a token file that is not there that it is not", async () => {
    const flags = ["--on", "ws://127.0.0.1:1", "--token-file", "nowhere"];
    const { status, err } = await writ(["run", "--sandbox", "read-only", ...flags, "--", "ls"]);
    expect(status).toBe(2);
    expect(err).toMatch(/--token-file ".*\/nowhere": there is no such file, expected a token\n/);
  });

  it.each(["one\ntwo", '{ "token": "x" }', "t\u00f6ken"])("takes %j for no token", async (text) => {
    const { status, err } = await on("ws://127.0.0.1:1", text);
    expect(status).toBe(2);
    expect(err).toMatch(
      /Cannot use --token-file ".*\/token": it holds more than that, expected a token/,
    );
  });
});

describe("writ plan", () => {
  it("prints nothing that a terminal obeys, whatever a file or an argument is called", async () => {
    const name = "a\u001b]0;b\u0007\u009b2J\u202e\n  --made-up";
    const args = ["plan", "--sandbox", "danger-full-access", "--", "true", name];
    const { status, out } = await writ(args, "/", temporaryFolder());
    expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining("a\\u{1b}]0;b") });
    expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(out).not.toContain("\n  --made-up");
  });

  it("exits 125, without a word on flags, where no sandbox keeps the policy", async () => {
    const { status, out, err } = await writ(
      ["plan", "--sandbox", "read-only", "--", "ls"],
      "/nonexistent",
      temporaryFolder(),
    );
    expect({ status, out }).toEqual({ status: 125, out: "" });
    expect(err).toBe('writ: Cannot start in "/nonexistent": there is no such folder\n');
  });
});
