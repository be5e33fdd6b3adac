import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../src/policy/index.ts";
import { type KeptSession, openSessionStore } from "../../src/session/index.ts";
import { keepers, kill } from "../session/store/run-keeper.ts";
import { aSession } from "../session/store/sessions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

const HOUR = 3_600_000;
const startKeeper = keepers();
const sessions = (home: string, ...args: string[]) => writ(["sessions", ...args], "/repo", home);

/** A home with these sessions. */
function homeWith(...kept: KeptSession[]): string {
  const home = temporaryFolder();
  const store = openSessionStore(parseAbsolutePath(home));
  for (const session of kept) store.put(session);
  store.close();
  return home;
}

describe("writ sessions", () => {
  it("lists the last used first, a line each", async () => {
    const now = Date.now();
    const old = aSession({ createdAt: now - 50 * HOUR, lastUsedAt: 1, state: "gone", liveWork: 0 });
    const fresh = aSession({
      ...{ thread: "thread-2", id: "sandbox-23456789", createdAt: now - 2 * HOUR, lastUsedAt: 2 },
    });
    const { status, out, err } = await sessions(homeWith(old, fresh));
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toBe(
      [
        "id        state       age  work  provider  thread",
        "23456789  ready        2h     2  local     thread-2",
        "andbox-1  gone         2d     0  local     thread-1",
        "",
      ].join("\n"),
    );
  });

  it("gives all of it as JSON, and no more", async () => {
    const session = aSession({ createdAt: Date.now() - HOUR, profileDigest: null });
    const { out } = await sessions(homeWith(session), "--json");
    const { id, thread, provider, state, boundDigest, liveWork } = session;
    const ageMs = expect.any(Number);
    const expected = {
      id,
      thread,
      provider,
      state,
      boundDigest,
      profileDigest: null,
      ageMs,
      liveWork,
    };
    expect(JSON.parse(out)).toEqual([expected]);
    expect(JSON.parse(out)[0].ageMs).toBeGreaterThanOrEqual(HOUR);
  });

  it("calls gone what a dead process had", async () => {
    const home = temporaryFolder();
    const keeper = await startKeeper(home, "theirs");
    const states = async () =>
      JSON.parse((await sessions(home, "--json")).out).map(({ state }: KeptSession) => state);
    expect(await states()).toEqual(["ready"]);
    await kill(keeper);
    expect(await states()).toEqual(["gone"]);
  });

  it("says nothing when there is none, and makes nothing", async () => {
    const home = temporaryFolder();
    expect(await sessions(home)).toEqual({ status: 0, out: "", err: "" });
    expect(await sessions(home, "--json")).toEqual({ status: 0, out: "[]\n", err: "" });
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it("does not list a thread that is known to have none", async () => {
    const home = temporaryFolder();
    const store = openSessionStore(parseAbsolutePath(home));
    store.clear({ thread: "thread-1", generation: 1 });
    store.close();
    expect((await sessions(home, "--json")).out).toBe("[]\n");
  });

  it("fits 80 columns and lets nothing through that a terminal obeys", async () => {
    const evil = "\u001b[2J\n\u202e".repeat(30);
    const { out } = await sessions(homeWith(aSession({ thread: evil, id: evil, provider: evil })));
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it.each([
    [["--limit", "1"], "limit"],
    [["--json", "--json"], "twice"],
    [["show"], 'Cannot use "show": expected no argument'],
  ])("refuses %j", async (args, words) => {
    const { status, out, err } = await sessions(homeWith(aSession()), ...args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(words);
  });

  it("says in a sentence what is wrong with a file that is none of its own", async () => {
    const home = temporaryFolder();
    fs.writeFileSync(path.join(home, "sessions.sqlite"), "hello", { mode: 0o600 });
    const { status, err } = await sessions(home);
    expect(status).toBe(1);
    expect(err).toMatch(/^writ: Cannot open ".*": it is damaged.*Move it away.*\n$/);
  });

  it("has a help that fits a screen", async () => {
    const { out } = await sessions("/nowhere", "--help");
    const lines = out.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});
