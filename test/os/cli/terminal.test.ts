/** What a person at a terminal is shown, and a pipe is not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTerminal } from "../../../src/sandbox/run/streams/open-terminal.ts";
import { talk } from "../chat/support/talk.ts";
import { HELLO, openRegistry, WORDS } from "../snapshots/support/registry.ts";
import { helloFrom, runWrit, settings } from "../snapshots/support/run-writ.ts";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";

const ESCAPE = "\u001b";
/** Sets a colour, or takes it away; other sequences move the cursor. */
const COLOURED = new RegExp(`${ESCAPE}\\[\\d+m`);

interface Typing {
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed once this was shown. */
  readonly after?: string;
  readonly keys?: string;
}

/** Runs it at a terminal of its own; the answer is what the screen was sent. */
async function atTerminal(place: Place, args: readonly string[], typing: Typing = {}) {
  place.give();
  const { inner, outer, input } = openTerminal({ columns: 80, rows: 24 });
  const [program = "", ...rest] = place.argv(args);
  const child = spawn(program, rest, {
    cwd: place.workspace,
    env: { TERM: "xterm-256color", ...place.env, ...typing.env },
    stdio: [inner, inner, inner],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  closeSync(inner);
  const over = once(child, "exit");
  let shown = "";
  // Where nobody holds the other side any more, reading it is an error; all that was sent has come.
  const drained = new Promise<void>((resolve) => outer.on("error", () => resolve()));
  outer.setEncoding("utf8").on("data", (text: string) => {
    const isReady = typing.after !== undefined && !shown.includes(typing.after);
    shown += text;
    if (isReady && shown.includes(typing.after ?? "")) input.write(typing.keys ?? "");
  });
  const [status] = await over;
  await drained;
  return { status, shown };
}

describe.each(USERS)("long work, as %s", (user) => {
  it("shows each step at a terminal, and nothing but its answer in a pipe", async () => {
    const place = placeFor(user);
    const registry = await openRegistry(HELLO, WORDS);
    settings(place, helloFrom(registry.url));
    const { status, shown } = await atTerminal(place, ["snapshot", "build"]);
    expect(shown).toContain("building, since it is not there\r\n");
    expect(shown).toMatch(/1\/\d+ /);
    expect(shown).not.toContain(ESCAPE);
    expect(status).toBe(0);
    const piped = await runWrit(place, ["snapshot", "build", "--force"]);
    expect(piped).toMatchObject({ status: 0, stderr: "" });
    expect(piped.stdout).toMatch(/^[0-9a-f]{16} {2}built \(forced\), 1 dependencies.*\n$/);
  });
});

describe.each(USERS)("a server that waits for a program, as %s", (user) => {
  it.each([
    ["repl", ["repl", "--language", "bash"], "MCP"],
    ["confine", ["confine", "--", "cat"], "MCP"],
    ["app-server", ["app-server"], "the protocol of Codex's app-server"],
    ["exec-server", ["exec-server", "--listen", "stdio"], "the protocol of Codex's exec-server"],
  ])(
    "says so to a person who types %s, and what ends it",
    async (_, args, wire) => {
      const said = `writ: waiting for a program that speaks ${wire}; ^D ends it\r\n`;
      const typing = { after: "^D ends it", keys: "\u0004" };
      expect(await atTerminal(placeFor(user), args, typing)).toMatchObject({
        status: 0,
        shown: expect.stringContaining(said),
      });
      expect(placeFor(user).run(args)).toMatchObject({ status: 0, stderr: "" });
    },
    30_000,
  );
});

describe.each(USERS)("colours of writ chat, as %s", (user) => {
  const chat = async (env: Readonly<Record<string, string>>) => {
    const typing = { env, after: "/quit ends", keys: "touch x\r/quit\r" };
    const { status, shown } = await atTerminal(placeFor(user), ["chat"], typing);
    expect(status).toBe(0);
    return shown;
  };

  it("are there at a terminal", async () => {
    expect(await chat({})).toMatch(COLOURED);
  });

  it.each([
    ["NO_COLOR", { NO_COLOR: "1" }],
    ["NO_COLOR, whatever FORCE_COLOR says", { NO_COLOR: "1", FORCE_COLOR: "1" }],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0" }],
  ])("are not with %s", async (_, env) => {
    const shown = await chat(env);
    expect(shown).not.toMatch(COLOURED);
    expect(shown).not.toContain("Warning");
  });

  it("are not at a terminal that is dumb, and the cursor is not moved there", async () => {
    expect(await chat({ TERM: "dumb" })).not.toContain(ESCAPE);
  });

  it("are not in a pipe, unless FORCE_COLOR asks for them", async () => {
    const place = placeFor(user);
    expect((await talk(place, ["touch x"])).out).not.toContain(ESCAPE);
    const forced = await talk(place, ["touch x"], { env: { FORCE_COLOR: "1" } });
    expect(forced.out).toMatch(COLOURED);
  });
});

describe.each(USERS)("other commands, as %s", (user) => {
  it.each([
    [["--help"]],
    [["doctor"]],
    [["explain", "--sandbox", "read-only", "/"]],
    [["receipts"]],
  ])("%j colours nothing, at a terminal or in a pipe", async (args) => {
    const place = placeFor(user);
    const env = { FORCE_COLOR: "1" };
    expect((await atTerminal(place, args, { env })).shown).not.toContain(ESCAPE);
    expect(place.run(args).stdout).not.toContain(ESCAPE);
  });
});
