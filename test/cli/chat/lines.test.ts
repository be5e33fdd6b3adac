import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readChatOptions } from "../../../src/cli/chat/chat-options.ts";
import { CHAT_COMMANDS, parseChatLine } from "../../../src/cli/chat/commands/chat-commands.ts";
import { readPolicyChange } from "../../../src/cli/chat/commands/policy-command.ts";
import { Screen } from "../../../src/cli/chat/terminal/screen.ts";
import type { FlagValues } from "../../../src/cli/command.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { writ } from "../support/cli-world.ts";

describe("a line", () => {
  it.each([
    ["ls -l", "say"],
    ["  ", "nothing"],
    ["/bin/ls -l", "say"],
    ["/policy", "command"],
    [" /policy  read-only ", "command"],
  ])("%j is to be %s", (line, kind) => expect(parseChatLine(line).kind).toBe(kind));

  it.each(["exit", " quit "])("says how to leave where it is %j", (line) => {
    expect(() => parseChatLine(line)).toThrow(/expected \/quit$/);
    expect(parseChatLine(`${line} 3`).kind).toBe("say");
  });

  it("keeps what follows a command", () => {
    expect(parseChatLine("/explain  a b ")).toMatchObject({ argument: "a b" });
  });

  it.each(["/nope", "/", "/Policy", "/policyx read-only"])("refuses %s by name", (line) => {
    expect(() => parseChatLine(line)).toThrow(/there is no such command, expected \/policy/);
  });
});

describe("/policy", () => {
  it.each([
    ["read-only", { sandboxPolicy: expect.objectContaining({ type: "readOnly" }) }],
    ["workspace-write", { sandboxPolicy: expect.objectContaining({ type: "workspaceWrite" }) }],
    ["danger-full-access", { sandboxPolicy: { type: "dangerFullAccess" } }],
    [":workspace", { permissions: ":workspace" }],
    ['{"type":"readOnly"}', { sandboxPolicy: { type: "readOnly" } }],
  ])("%s asks for it", (text, change) => expect(readPolicyChange(text)).toEqual(change));

  it.each(["read only", '{"type":"readOnly"', '{"a":1,"a":2}', "a b"])("refuses %j", (text) => {
    expect(() => readPolicyChange(text)).toThrow(/^Cannot use/);
  });
});

describe("the flags of a chat", () => {
  const folder = () => temporaryFolder();
  const world = (cwd: string) => ({
    ...{ out() {}, err() {}, env: {}, cwd, home: cwd, hostname: "h", platform: "linux" },
  });
  const read = (flags: FlagValues, positionals: string[] = [], cwd = folder()) =>
    readChatOptions({ flags, positionals }, world(cwd));

  it("ask for nothing when there are none", () => expect(read({})).toEqual({ begin: {} }));

  it("become what a thread begins with", () => {
    const flags = { sandbox: "workspace-write", approval: "never", model: "m", ephemeral: true };
    expect(read(flags).begin).toEqual({
      ...{ sandbox: "workspace-write", approvalPolicy: "never", model: "m", ephemeral: true },
    });
    expect(read({ resume: true }).resume).toBe("last");
    expect(read({ resume: true }, ["id"]).resume).toEqual({ id: "id" });
  });

  it("take a policy from a file", () => {
    const cwd = folder();
    writeFileSync(path.join(cwd, "p.json"), '{"type":"readOnly"}');
    expect(read({ policy: "p.json" }, [], cwd).begin).toEqual({
      sandboxPolicy: { type: "readOnly" },
    });
    writeFileSync(path.join(cwd, "bad.json"), '{"type":"readOnly","type":"dangerFullAccess"}');
    expect(() => read({ policy: "bad.json" }, [], cwd)).toThrow(/type/);
  });

  it("send a token to whom nobody can overhear", () => {
    const cwd = folder();
    writeFileSync(path.join(cwd, "token"), "tok\n");
    const to = (remote: string) => read({ remote, "token-file": "token" }, [], cwd).remote;
    expect(to("ws://127.0.0.1:1")).toMatchObject({ token: "tok" });
    expect(to("wss://example.org")).toMatchObject({ token: "tok" });
    expect(to("unix:///run/x.sock")).toMatchObject({ token: "tok" });
    expect(() => to("ws://example.org:1")).toThrow(/others could read it/);
    expect(() => to("ws://127.0.0.1.example.org:1")).toThrow(/others could read it/);
  });

  it.each<[string, FlagValues, string[]]>([
    ["an unknown mode", { sandbox: "readonly" }, []],
    ["an unknown word for asking", { approval: "on-failure" }, []],
    ["two policies", { sandbox: "read-only", permissions: ":workspace" }, []],
    ["an empty name", { permissions: "" }, []],
    ["a policy that is not there", { policy: "none.json" }, []],
    ["a word", {}, ["hello"]],
    ["two ids", { resume: true }, ["a", "b"]],
    ["a thread that was not kept", { resume: true, ephemeral: true }, []],
    ["an address that is none", { remote: "localhost:1" }, []],
    ["a token for nobody", { "token-file": "x" }, []],
    ["a token that is not there", { remote: "unix:///x", "token-file": "x" }, []],
  ])("refuse %s", (_, flags, positionals) => {
    expect(() => read(flags, positionals)).toThrow(/^Cannot /);
  });

  it("are explained on one screen", async () => {
    const { status, out } = await writ(["chat", "--help"]);
    const lines = out.trimEnd().split("\n");
    expect(status).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it("leave room for /help on one screen", async () => {
    const help = CHAT_COMMANDS.find(({ name }) => name === "help");
    const { lines = [] } = (await help?.run("", Object.create(null))) ?? {};
    expect(lines.length).toBeLessThanOrEqual(22);
    expect(lines.length).toBeGreaterThan(CHAT_COMMANDS.length);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(78);
  });
});

describe("/help", () => {
  it("has every line that the documentation says the built-in model knows", async () => {
    const page = readFileSync(path.resolve("docs/chat.md"), "utf8");
    const table = page.slice(page.indexOf("| line | what it calls |"));
    const rows = table.slice(0, table.indexOf("\n\n")).split("\n").slice(2);
    const said = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z][^`]*)`/g)]);
    const help = CHAT_COMMANDS.find(({ name }) => name === "help");
    const { lines = [] } = (await help?.run("", Object.create(null))) ?? {};
    const known = said.map(([, words = ""]) => words);
    expect(known).toContain("grep WORD");
    expect(known.filter((words) => !lines.join(" ").includes(words))).toEqual([]);
  });
});

describe("a screen", () => {
  it.each([
    [true, ["\r\u001b[2K- 1 s, ^C stops it", "\r\u001b[2K", "a", "\n"]],
    [false, ["a", "\n"]],
  ])("shows how long it takes on a terminal only (%s)", (isLive, expected) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const printed: string[] = [];
    const screen = new Screen({ write: (text) => printed.push(text), isLive });
    screen.begin();
    vi.advanceTimersByTime(1000);
    screen.print("a");
    vi.advanceTimersByTime(5000);
    screen.end();
    vi.advanceTimersByTime(5000);
    expect(printed).toEqual(expected);
  });

  it("holds half a line back while another is edited", () => {
    const printed: string[] = [];
    let isEditing = true;
    const screen = new Screen({
      ...{ write: (text: string) => printed.push(text), isLive: true },
      ...{ around: (put: () => void) => put(), isEditing: () => isEditing },
    });
    screen.print("one\ntw");
    expect(printed).toEqual(["one\n"]);
    isEditing = false;
    screen.print("o\n");
    expect(printed).toEqual(["one\n", "two\n"]);
  });
});
