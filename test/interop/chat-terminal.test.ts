import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Terminal } from "../../tools/terminal.ts";
import { labFolder } from "./support/codex.ts";

const WRIT = path.resolve(import.meta.dirname, "../../bin/writ");

/** The chat in a terminal of its own, as soon as a line can be typed. */
async function openChat(env: Readonly<Record<string, string>> = {}, flags: readonly string[] = []) {
  const folder = labFolder();
  const workspace = path.join(folder, "ws");
  mkdirSync(workspace);
  const home = path.join(folder, "home");
  const terminal = new Terminal({
    // tmux sets variables of its own for what it starts.
    argv: [
      "/usr/bin/env",
      ...Object.entries(env).map((one) => one.join("=")),
      WRIT,
      "chat",
      ...flags,
    ],
    cwd: workspace,
    env: { PATH: process.env.PATH ?? "", HOME: home, WRIT_HOME: path.join(home, ".writ") },
  });
  onTestFinished(() => terminal.close());
  await terminal.shows(/\/quit ends\.\n> *\n/);
  const say = async (line: string, shown: RegExp | string) => {
    terminal.type(line);
    await terminal.shows(`> ${line}`);
    terminal.press("Enter");
    return terminal.shows(shown);
  };
  return { terminal, workspace, say };
}

describe("writ chat at a terminal", () => {
  it("runs, denies with the reason, and runs under the policy of the next turn", async () => {
    const { terminal, workspace, say } = await openChat();
    await say("echo one", /\| one\n- exit 0, .*\n< It ended with exit code 0\.\n> *\n/);
    await say("touch a.txt", /- Probably denied: to write [\s\S]*- exit 1/);
    expect(existsSync(path.join(workspace, "a.txt"))).toBe(false);
    await say("/policy workspace-write", "From the next turn on: workspace-write");
    await say("touch a.txt", /workspace-write, network off[\s\S]*exit code 0\.\n> *\n/);
    expect(existsSync(path.join(workspace, "a.txt"))).toBe(true);
    terminal.press("C-d");
    expect(await terminal.ended()).toBe(0);
  });

  it("shows how long it takes, and ^C ends the command and not the chat", async () => {
    const { terminal, say } = await openChat();
    await say("sleep 987", /- [1-9]\d* s, \^C stops it/);
    terminal.press("C-c");
    const screen = await terminal.shows(/- The turn was stopped\.\n> *\n/);
    expect(screen).not.toContain("^C stops it");
    await expect.poll(sleepers).toBe("");
    await say("say still", "< still");
  });

  it("takes nothing that was typed before a question for its answer", async () => {
    const { terminal, workspace, say } = await openChat();
    const waits = "escalate until [ -e ../go ]; do sleep 0.02; done";
    await say(waits, /\? \[y\] yes .*\n\? *\n/);
    terminal.type("y");
    terminal.press("Enter");
    await terminal.shows("? y");
    // Three lines while the command runs: two that would be answers, and one that leads to a question.
    for (const line of ["y", "y", "escalate touch ../made"]) {
      terminal.type(line);
      terminal.press("Enter");
    }
    await terminal.shows(laterThan(terminal.screen));
    writeFileSync(path.join(workspace, "../go"), "");
    await terminal.shows(/> escalate touch[\s\S]*\? \[y\] yes .*\n\? *\n/);
    expect(existsSync(path.join(workspace, "../made"))).toBe(false);
    terminal.press("Enter");
    await terminal.shows("- It was not run.");
    expect(existsSync(path.join(workspace, "../made"))).toBe(false);
  });

  it("says what is typed while a turn runs to that turn, and keeps commands for after it", async () => {
    const { terminal, workspace, say } = await openChat({}, ["--sandbox", "workspace-write"]);
    await say("until [ -e go ]; do sleep 0.1; done", /\$ until .*\n/);
    terminal.type("echo steered > made; touch go2");
    terminal.press("Enter");
    await terminal.shows("> echo steered > made; touch go2");
    expect(existsSync(path.join(workspace, "made"))).toBe(false);
    // What follows a command is not said before it.
    for (const line of ["/policy read-only", "touch late"]) {
      terminal.type(line);
      terminal.press("Enter");
    }
    writeFileSync(path.join(workspace, "go"), "");
    const screen = await terminal.shows(
      /> \/policy read-only\n[\s\S]*> touch late\n[\s\S]*- exit 1/,
    );
    // The model said nothing between the two commands: it was one turn.
    expect(screen).toMatch(/\$ until[^<]*\n\$ echo steered > made; touch go2\n/);
    expect(readFileSync(path.join(workspace, "made"), "utf8")).toBe("steered\n");
    expect(existsSync(path.join(workspace, "late"))).toBe(false);
  });

  it("tells that a line was not said when its turn was stopped before it", async () => {
    const { terminal, say } = await openChat();
    await say("sleep 987", /\$ sleep 987\n/);
    terminal.type("say never");
    terminal.press("Enter");
    await terminal.shows("> say never");
    terminal.press("C-c");
    await terminal.shows(/- Not said, since the turn was over before it: say never\n> *\n/);
    await say("say on", "< on");
  });

  it("asks again for what is no answer, and Enter alone is no", async () => {
    const { terminal, workspace, say } = await openChat();
    await say("escalate touch ../made", /\? \[y\] yes .*\n\? *\n/);
    terminal.type("what");
    terminal.press("Enter");
    await terminal.shows(/\? what\n\? \[y\] yes .*\n\? *\n/);
    terminal.press("Enter");
    await terminal.shows("- It was not run.");
    expect(existsSync(path.join(workspace, "../made"))).toBe(false);
    await say("escalate touch ../made", /not run[\s\S]*\? \[y\] yes .*\n\? *\n/);
    terminal.type("y");
    terminal.press("Enter");
    await terminal.shows("exit code 0");
    expect(existsSync(path.join(workspace, "../made"))).toBe(true);
  });

  it("opens what was asked for by y, for its turn and no longer", async () => {
    const { terminal, workspace, say } = await openChat();
    const folder = path.join(workspace, "../wanted");
    mkdirSync(folder);
    await say(
      "ask write ../wanted then touch ../wanted/a",
      /\$ write "[^"]*wanted"[\s\S]*\? \[y\] yes .*\n\? *\n/,
    );
    expect(existsSync(path.join(folder, "a"))).toBe(false);
    terminal.type("y");
    terminal.press("Enter");
    await terminal.shows(/Granted for this turn[\s\S]*exit code 0\.\n> *\n/);
    expect(existsSync(path.join(folder, "a"))).toBe(true);
    await say("touch ../wanted/b", /- Probably denied[\s\S]*exit code 1/);
    expect(existsSync(path.join(folder, "b"))).toBe(false);
  });

  it("takes a question off the screen when ^C stops its turn", async () => {
    const { terminal, say } = await openChat();
    await say("escalate id", /\? \[y\] yes .*\n\? *\n/);
    terminal.press("C-c");
    await terminal.shows(/- It is no longer asked\.[\s\S]*- The turn was stopped\.\n> *\n/);
    await say("say on", "< on");
  });

  it("ends by the second ^C at the prompt, and forgets a half line by the first", async () => {
    const { terminal } = await openChat();
    terminal.type("half");
    await terminal.shows("> half");
    terminal.press("C-c");
    await terminal.shows(/- \^C again ends, and so does \/quit\.\n> *\n/);
    terminal.press("C-c");
    expect(await terminal.ended()).toBe(0);
  });

  it("edits lines and remembers them", async () => {
    const { terminal, say } = await openChat();
    await say("say first", "< first");
    terminal.press("Up");
    await terminal.shows(/> say first\n[\s\S]*> say first *\n/);
    for (let key = 0; key < 5; key += 1) terminal.press("BSpace");
    terminal.type("second");
    terminal.press("Enter");
    await terminal.shows("< second");
  });

  it.each([
    ["NO_COLOR", { NO_COLOR: "1" }],
    ["TERM=dumb", { TERM: "dumb" }],
  ])("works without colours under %s", async (_, env) => {
    const { terminal, say } = await openChat(env);
    await say("false", /- exit 1, .*\n< .*\n> *\n/);
    await say("escalate id", /\? \[y\] yes .*\n\? *\n/);
    terminal.type("n");
    terminal.press("Enter");
    await terminal.shows("- It was not run.");
    expect(terminal.coloured).not.toContain("\u001b");
  });
});

/** How long a command takes is told anew each second: by the next but one, what was typed before was read. */
function laterThan(screen: string): RegExp {
  const now = Number(/- (\d+) s, \^C stops it/.exec(screen)?.[1] ?? 0);
  const later = Array.from({ length: 100 }, (_, index) => now + 2 + index);
  return new RegExp(`- (${later.join("|")}) s, \\^C stops it`);
}

function sleepers(): string {
  try {
    return execFileSync("pgrep", ["-f", "^sleep 987$"], { encoding: "utf8" });
  } catch {
    return "";
  }
}
