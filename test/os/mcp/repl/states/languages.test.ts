/** A sample of the inherit cases on the other interpreters. */
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { USERS } from "../../../support/sandbox-user.ts";
import { MALFORMED, managed, stateOf, withState } from "../../cases/support/call-states.ts";
import { workspaceWrite } from "../../cases/support/repl-lab.ts";
import { keptRepls, openRepl } from "../support/open-repl.ts";
import type { ReplClient } from "../support/repl-client.ts";
import { writes } from "../support/writes.ts";

const [USER = "ordinary"] = USERS;

/** Prints a word, sleeps, and ends; or reads a file. */
const CODE = {
  node: {
    naps: "console.log('begun'); await new Promise((done) => setTimeout(done, 60_000))",
    ends: "process.exit(4)",
    reads: (file: string) => `console.log(require("fs").readFileSync("${file}", "utf8"))`,
  },
  bash: {
    naps: "echo begun; sleep 60",
    ends: "exit 4",
    reads: (file: string) => `cat "${file}"`,
  },
  r: {
    naps: 'cat("begun\\n"); Sys.sleep(60)',
    ends: "quit(status = 4)",
    reads: (file: string) => `cat(readLines("${file}", warn = FALSE))`,
  },
} as const;

describe.each(["node", "bash", "r"] as const)("a %s session that inherits", (language) => {
  const code = CODE[language];
  const flags = ["--sandbox", "inherit", "--language", language];
  const kept = keptRepls(USER);

  async function open(client: ReplClient) {
    const { workspace, outside, give } = client.place;
    const cwd = mkdtempSync(path.join(workspace, "case-"));
    give();
    const a = { meta: withState(stateOf(workspaceWrite(cwd), cwd)) };
    const b = { meta: withState(stateOf(managed([[":root", "read"]]), cwd)) };
    const tries = (name: string, options: object) =>
      client.call(writes(language, `${cwd}/${name}`), options);
    return {
      client,
      cwd,
      outside,
      a,
      b,
      tries,
      isThere: (name: string) => existsSync(`${cwd}/${name}`),
    };
  }

  /** On a server that other tests had, after a restart. */
  async function openAgain() {
    const repl = await open(await kept(language, () => ({ flags })));
    await repl.client.call("\u0004", repl.a);
    return repl;
  }

  it("8, 9, 12, 24, 25: runs what its state allows, and nothing without one", async () => {
    const { client, outside, a, b, tries, isThere } = await open(
      await openRepl({ user: USER, flags }),
    );
    for (const options of [{}, { meta: MALFORMED }]) {
      expect((await tries("no", options)).isError).toBe(true);
    }
    expect(client.workers()).toEqual([]);
    await tries("first", a);
    await client.call(writes(language, `${outside}/f`), a);
    expect((await tries("second", b)).text).toContain("sandbox policy changed");
    expect((await tries("third", {})).isError).toBe(true);
    expect(["no", "first", "second", "third"].map(isThere)).toEqual([false, true, false, false]);
    expect(existsSync(`${outside}/f`)).toBe(false);
  });

  it("36, 48, 50: what runs is interrupted without a state, and ended by another", async () => {
    const { client, cwd, a, b, tries, isThere } = await openAgain();
    await client.until("begun", code.naps, a);
    expect(await client.call("\u0003")).toMatchObject({ isError: false });
    await client.until("begun", code.naps, a);
    expect((await tries("no", b)).text).toContain("previous request aborted");
    await client.call(`\u0004${writes(language, `${cwd}/yes`)}`, a);
    expect(["no", "yes"].map(isThere)).toEqual([false, true]);
  });

  it("64, 65, 68: what ended is followed by what a call brings a state for", async () => {
    const { client, a } = await openAgain();
    expect((await client.call(code.ends, a)).text).toContain("session ended (exit 4)");
    await expect.poll(() => client.workers()).not.toEqual([]);
    await client.call("\u0004", a);
    expect((await client.call("")).isError).toBe(true);
    await expect.poll(() => client.workers()).toEqual([]);
  });

  it("97: a denied glob cannot be read", async () => {
    const { client, cwd } = await openAgain();
    writeFileSync(`${cwd}/a.env`, "secret-word");
    writeFileSync(`${cwd}/plain`, "plain-word");
    client.place.give();
    const profile = managed([
      [":root", "read"],
      [cwd, "write"],
      [`glob:${cwd}/**/*.env`, "deny"],
    ]);
    const options = { meta: withState(stateOf(profile, cwd)) };
    expect((await client.call(code.reads(`${cwd}/plain`), options)).text).toContain("plain-word");
    const { text } = await client.call(code.reads(`${cwd}/a.env`), options);
    expect(text).not.toContain("secret-word");
  });
});
