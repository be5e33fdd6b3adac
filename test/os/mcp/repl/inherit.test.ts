/** Cases 132 to 143: sessions whose sandbox comes with each call. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, type SandboxUser, USERS } from "../../support/sandbox-user.ts";
import { openState, wireState } from "../support/wire-state.ts";
import { keptRepls, openRepl } from "./support/open-repl.ts";
import type { ReplClient } from "./support/repl-client.ts";
import { writes } from "./support/writes.ts";

const KEY = "codex/sandbox-state-meta";
const BAD = { [KEY]: "invalid" };
const STARTED = "[repl] new session started";
const IDLE = "<<repl status: idle>>";

interface Inheriting {
  readonly client: ReplClient;
  readonly workspace: string;
  /** Workspace-write and read-only, as they come with a call. */
  readonly wide: { readonly meta: object };
  readonly narrow: { readonly meta: object };
}

const flagsFor = (languages: readonly string[]) => [
  ...["--sandbox", "inherit"],
  ...languages.flatMap((language) => ["--language", language]),
];

async function inheriting(user: SandboxUser, languages = ["python"]): Promise<Inheriting> {
  const client = await openRepl({ user, flags: flagsFor(languages) });
  return inFolder(client, client.place.workspace);
}

function inFolder(client: ReplClient, workspace: string): Inheriting {
  const wide = { meta: { [KEY]: wireState(workspace, { write: [workspace] }) } };
  const narrow = { meta: { [KEY]: wireState(workspace) } };
  return { client, workspace, wide, narrow };
}

describe.each(USERS)("a session that inherits (%s)", (user) => {
  const kept = keptRepls(user);

  /** In a folder of its own, on a server that other tests had, after a restart. */
  async function inheritingAgain(): Promise<Inheriting> {
    const client = await kept("python", () => ({ flags: flagsFor(["python"]) }));
    const repl = inFolder(client, mkdtempSync(path.join(client.place.workspace, "case-")));
    client.place.give();
    await client.call("\u0004", repl.wide);
    return repl;
  }

  it.each(["1+1", ""])("132: refuses %j without a state, and starts nothing", async (input) => {
    const { client } = await inheriting(user);
    const { isError, text } = await client.call(input);
    expect(isError).toBe(true);
    expect(text).toContain("without sandbox state");
    expect(client.workers()).toEqual([]);
  });

  it("133: refuses a state that is malformed, and says what is", async () => {
    const { client } = await inheriting(user);
    const { isError, text } = await client.call("1+1", { meta: BAD });
    expect(isError).toBe(true);
    expect(text).toContain("sandboxState");
    expect(client.workers()).toEqual([]);
  });

  it("134: answers a poll of an idle session, whatever its state", async () => {
    const { client, wide } = await inheritingAgain();
    await client.call("x = 5", wide);
    expect(await client.call("", { meta: BAD })).toMatchObject({ isError: false, text: IDLE });
  });

  it("135: interrupts without a state", async () => {
    const { client, wide } = await inheritingAgain();
    await client.call("x = 5", wide);
    await client.until("begun", "import time\nprint('begun')\ntime.sleep(60)", wide);
    const { isError, text } = await client.call("\u0003");
    expect(isError).toBe(false);
    expect(text).toContain("KeyboardInterrupt");
    expect((await client.call("x", wide)).text).toBe("5\n");
  });

  it.each([undefined, BAD])(
    "136: refuses a restart with the state %j, and keeps the session",
    async (meta) => {
      const { client, workspace, wide } = await inheritingAgain();
      await client.call("x = 5", wide);
      for (const tail of ["", writes("python", `${workspace}/f`)]) {
        expect(await client.call(`\u0004${tail}`, { meta })).toMatchObject({ isError: true });
      }
      expect((await client.call("x", wide)).text).toBe("5\n");
      expect(existsSync(path.join(workspace, "f"))).toBe(false);
    },
  );

  it("137: another policy is another session, and the notice names it", async () => {
    const { client, workspace, wide, narrow } = await inheriting(user, [
      ...["python", "node", "bash", "r"],
    ]);
    for (const language of ["python", "node", "bash", "r"]) {
      const [first, second] = [`${workspace}/1-${language}`, `${workspace}/2-${language}`];
      await client.call(writes(language, first), { ...wide, language });
      const { text } = await client.call(writes(language, second), { ...narrow, language });
      expect(text).toContain("sandbox policy changed; new session started");
      expect(text).toMatch(/new sandbox policy: \{.*\}/);
      expect([first, second].map((file) => existsSync(file))).toEqual([true, false]);
    }
  });

  it("138: another policy ends what runs, and says so", async () => {
    const { client, wide, narrow } = await inheritingAgain();
    await client.call("1", wide);
    await client.until("begun", "import time\nprint('begun')\ntime.sleep(60)", wide);
    const { text } = await client.call("'ran'", narrow);
    expect(text).toContain("previous request aborted because sandbox policy changed");
    expect(text).not.toContain("discarded");
    expect(text).toMatch(/'ran'\n$/);
  });

  it("139: the same state is the same session", async () => {
    const { client, wide } = await inheritingAgain();
    await client.call("x = 5", wide);
    expect((await client.call("x", wide)).text).toBe("5\n");
  });

  it("140: what an ended session left is read without a state, and starts nothing", async () => {
    const { client, workspace, wide } = await inheritingAgain();
    const code =
      "import os, sys, time\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('last')\nsys.exit(4)";
    await client.call("1", wide);
    await client.call(code, { ...wide, timeoutMs: 50 });
    writeFileSync(path.join(workspace, "go"), "");
    const { text, isError } = await client.call("");
    expect(isError).toBe(false);
    expect(text).toMatch(/^last\n\[repl\] session ended \(exit 4\)/);
    await expect.poll(() => client.workers()).toEqual([]);
    expect(await client.call("")).toMatchObject({ isError: true });
    expect(client.workers()).toEqual([]);
  });

  it("141: a mode of the server's own holds, whatever a call brings", async () => {
    const place = placeFor(user);
    const client = await openRepl({
      place,
      flags: ["--language", "python", "--sandbox", "workspace-write"],
    });
    const file = path.join(place.outside, "f");
    const meta = { [KEY]: openState(place.workspace) };
    const { text } = await client.call(writes("python", file), { meta });
    expect(text).toMatch(/OSError|PermissionError/);
    expect(existsSync(file)).toBe(false);
    expect((await client.call("'ran'", { meta: BAD })).text).toBe("'ran'\n");
  });

  it("142: a restart as the first call is told, and starts nothing", async () => {
    const { client, wide } = await inheriting(user);
    const { isError, text } = await client.call("\u0004", wide);
    expect([isError, text.trim()]).toEqual([false, STARTED]);
    expect(client.workers()).toEqual([]);
  });

  it("143: code runs in the folder of the state", async () => {
    const { client, workspace } = await inheriting(user, ["python", "node", "bash", "r"]);
    const folder = path.join(workspace, "sub folder");
    mkdirSync(folder);
    client.place.give();
    const meta = { [KEY]: wireState(encodeURI(folder)) };
    for (const [language, code] of [
      ["python", "import os\nprint(os.getcwd())"],
      ["node", "console.log(process.cwd())"],
      ["bash", "pwd"],
      ["r", "cat(getwd())"],
    ]) {
      const { text } = await client.call(code ?? "", { meta, language: language ?? "" });
      expect(text).toContain(folder);
    }
  });
});
