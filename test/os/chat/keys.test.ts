/** Keys that a terminal or its shell would otherwise see to: ^Z, and ^C in a line of several rows. */
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Terminal } from "../../../tools/terminal.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";

const WRIT = path.resolve(import.meta.dirname, "../../../bin/writ");

/** The chat as soon as a line can be typed: alone in its terminal, or started from a shell. */
async function openChat(shell: readonly string[] = [], chat: readonly string[] = [WRIT, "chat"]) {
  const { workspace, env } = placeFor(USERS[0] ?? "root");
  const size = { columns: 80, rows: 40 };
  const terminal = new Terminal({
    ...{ argv: shell.length === 0 ? chat : shell, cwd: workspace, size },
    env: { PATH: process.env.PATH ?? "", PS1: "shell ", ...env },
  });
  onTestFinished(() => terminal.close());
  if (shell.length > 0) {
    terminal.type(chat.join(" "));
    terminal.press("Enter");
  }
  await terminal.shows(/\/quit ends\.\n> *\n/);
  return terminal;
}

describe("a key at the terminal of a chat", () => {
  it("goes on where it was after ^Z and fg", async () => {
    const terminal = await openChat(["/bin/bash", "--norc", "-i"]);
    terminal.type("say on");
    await terminal.shows("> say on");
    terminal.press("C-z");
    await terminal.shows(/Stopped[\s\S]*shell/);
    terminal.type("fg");
    terminal.press("Enter");
    await terminal.shows(/fg[\s\S]*> say on/);
    terminal.type("e");
    terminal.press("Enter");
    await terminal.shows(/< one\n> *\n/);
  });

  it("is still one that edits after a ^Z that no shell could undo", async () => {
    const terminal = await openChat();
    terminal.press("C-z");
    terminal.type("say oe");
    terminal.press("Left");
    terminal.type("n");
    expect(await terminal.shows(/> say o/)).not.toContain("^[");
    terminal.press("Enter");
    expect(await terminal.shows("< one")).not.toContain("^[");
  });

  it("takes all of a line back that has several rows", async () => {
    const terminal = await openChat();
    terminal.type(`echo ${"a".repeat(300)}`);
    await terminal.shows(/a{70}\n(?:a+\n)+/);
    terminal.press("C-c");
    expect(await terminal.shows(/\^C again ends.*\n> *\n/)).not.toContain("aaaa");
  });

  it("leaves a line of its own to whoever writes after ^D, at the prompt or at a question", async () => {
    const terminal = await openChat(["/bin/bash", "--norc", "-i"]);
    terminal.press("C-d");
    await terminal.shows(/\n>\nshell/);
    terminal.type(`${WRIT} chat`);
    terminal.press("Enter");
    await terminal.shows(/\/quit ends\.\n> *\n/);
    terminal.type("escalate id");
    terminal.press("Enter");
    await terminal.shows(/\n\? *\n/);
    terminal.press("C-d");
    await terminal.shows(/\n\?\n- No, since nobody is there to answer\.\n[\s\S]*\nshell/);
  });

  it("ends by two ^C at once in a turn, and waits for no answer to the first", async () => {
    const terminal = await openChat(["/bin/bash", "--norc", "-i"]);
    terminal.type("sleep 987");
    terminal.press("Enter");
    await terminal.shows("$ sleep 987");
    terminal.type("\u0003\u0003");
    expect(await terminal.shows(/\nshell *\n/)).not.toContain("Cannot");
  });
});

describe("a letter at a terminal that edits the lines of a chat", () => {
  const plainChat = () => openChat([], ["/usr/bin/env", "TERM=dumb", WRIT, "chat"]);

  it.each([
    ["without Enter", "y"],
    ["with ^D", "y\u0004"],
  ])("is no answer where it was typed before the question, %s", async (_, typed) => {
    const terminal = await plainChat();
    terminal.type("sleep 2");
    terminal.press("Enter");
    await terminal.shows("$ sleep 2");
    terminal.type("escalate id -u");
    terminal.press("Enter");
    terminal.type(typed);
    await terminal.shows(/\n[^\n]*\? *\n+$/);
    terminal.press("Enter");
    await terminal.shows(/\n(?:- It was not run|\| 0\n)/);
    expect(terminal.screen).toContain("- It was not run.");
  });

  it("is one where it was typed after, and the terminal still edits and echoes", async () => {
    const terminal = await plainChat();
    terminal.type("escalate id -u");
    terminal.press("Enter");
    await terminal.shows(/\n\? *\n+$/);
    terminal.type("n\u007fy");
    await terminal.shows(/\n\? y *\n+$/);
    terminal.press("Enter");
    await terminal.shows(/\n\| 0\n/);
  });
});
