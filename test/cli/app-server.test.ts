import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileOf } from "../exec/auth/support/key-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

const run = (...args: string[]) => writ(["app-server", ...args], "/", temporaryFolder());
const WS = ["--listen", "ws://127.0.0.1:0"] as const;

// The command ends its process a while after it is done, which here is that of other tests too.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("writ app-server", () => {
  it("fits its help on a screen", async () => {
    const { status, out } = await run("--help");
    const lines = out.trimEnd().split("\n");
    expect(status).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it.each([
    ["a name instead of an address", ["--listen", "ws://localhost:4500"], "literal IP address"],
    ["an address without a port", ["--listen", "ws://127.0.0.1"], "literal IP address"],
    ["a port that does not exist", ["--listen", "ws://127.0.0.1:65536"], "does not exist"],
    [
      "another scheme",
      ["--listen", "wss://127.0.0.1:1"],
      "none of the known forms, expected stdio://, ws://IP:PORT, unix://PATH, unix:// or off",
    ],
    ["an empty address", ["--listen", ""], "none of the known forms"],
    ["a socket path that is not absolute", ["--listen", "unix://a/b"], "not absolute"],
    ["an address twice", [...WS, "--listen", "off"], "twice"],
    ["a word", ["serve"], "expected options only"],
    ["an unknown option", ["--open"], "--open"],
    [
      "auth on stdio",
      ["--ws-auth", "capability-token", "--ws-token-sha256", "0".repeat(64)],
      "stdio",
    ],
    [
      "auth where nothing listens",
      ["--listen", "off", "--ws-auth", "capability-token", "--ws-token-sha256", "0".repeat(64)],
      "nobody is let in",
    ],
    ["unknown auth", [...WS, "--ws-auth", "none"], "the word is unknown"],
    ["auth without a token", [...WS, "--ws-auth", "capability-token"], "there is no token"],
    ["a token without auth", [...WS, "--ws-token-sha256", "0".repeat(64)], "no --ws-auth"],
    [
      "a digest that is none",
      [...WS, "--ws-auth", "capability-token", "--ws-token-sha256", "0"],
      "64 hexadecimal",
    ],
    [
      "two tokens",
      [
        ...[...WS, "--ws-auth", "capability-token", "--ws-token-sha256", "0".repeat(64)],
        ...["--ws-token-file", "/tmp/t"],
      ],
      "both are given",
    ],
    ["a signature without a secret", [...WS, "--ws-auth", "signed-bearer-token"], "no secret"],
  ])("refuses %s as bad input", async (_, args, sentence) => {
    const { status, out, err } = await run(...args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(sentence);
    expect(err).toContain("Run: writ app-server --help\n");
  });

  it.each(["ws://0.0.0.0:0", "ws://[::]:0", "ws://192.0.2.1:0", "ws://[::ffff:192.0.2.1]:0"])(
    "does not listen on %s without auth: that is bad input",
    async (address) => {
      const { status, out, err } = await run("--listen", address);
      expect({ status, out }).toEqual({ status: 2, out: "" });
      expect(err).toMatch(
        /^writ: Cannot listen on ".*": other machines reach it and there is no --ws-auth/,
      );
    },
  );

  it("leaves nothing in the home of who made a mistake", async () => {
    const home = temporaryFolder();
    await writ(["app-server", "--listen", "ws://localhost:1"], "/", home);
    expect(fs.readdirSync(home)).toEqual([]);
  });
});

describe("files of secrets", () => {
  const token = (file: string) => [...WS, "--ws-auth", "capability-token", "--ws-token-file", file];
  const secret = (file: string) => [
    ...[...WS, "--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", file],
  ];

  it.each([
    ["a token that is not there", () => token("/nowhere/token"), "there is no such file"],
    ["an empty token", () => token(fileOf(" \n")), "it is empty"],
    ["a token that others read", () => token(fileOf("tok", 0o644)), "others may read"],
    ["a short secret", () => secret(fileOf("x".repeat(31))), "expected at least 32"],
  ])("is not served with %s: exit status 1", async (_, args, sentence) => {
    const { status, err } = await run(...args());
    expect(status).toBe(1);
    expect(err).toContain(sentence);
  });
});
