/** Commands that will not end, and what writ's own end and exit status say. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { told } from "../../support/later-attempts.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";

/** Hears no signal, leaves its session and its parent, and writes as long as it lives. */
const STUBBORN = `trap '' TERM INT HUP QUIT
  beat() { trap '' TERM INT HUP QUIT; while :; do echo x >> $1; sleep 0.05; done; }
  beat one & (beat two &) & setsid sh -c 'trap "" TERM INT HUP; (trap "" TERM INT HUP; while :; do echo x >> three; sleep 0.05; done) & exit 0' &
  perl -e 'exit if fork; use POSIX; POSIX::setsid(); exit if fork; $SIG{TERM} = "IGNORE"; while (1) { open F, ">>four"; print F "x"; close F; select undef, undef, undef, 0.05 }'
  while :; do sleep 1; done`;
const BEATS = ["one", "two", "three", "four"];

function start(place: Place, flags: readonly string[]): ChildProcess {
  place.give();
  const words = place.argv(["run", "--sandbox", "workspace-write", ...flags, "--"]);
  const [program = "", ...args] = [...words, "/bin/sh", "-c", STUBBORN];
  return spawn(program, args, { cwd: place.workspace, env: place.env, stdio: "ignore" });
}

function beatsOf({ workspace }: Place): number[] {
  return BEATS.map(
    (name) => fs.statSync(path.join(workspace, name), { throwIfNoEntry: false })?.size ?? 0,
  );
}

async function beating(place: Place, child: ChildProcess): Promise<void> {
  while (beatsOf(place).some((size) => size === 0) && child.exitCode === null) await sleep(20);
}

/** Nothing of it lives: no file grows any more, in a time in which each would do so eight times. */
async function expectSilence(place: Place): Promise<void> {
  const before = beatsOf(place);
  await sleep(400);
  expect(beatsOf(place)).toEqual(before);
}

describe.each(USERS)("endings, as %s", (user) => {
  it.each([
    ["pipes", []],
    ["a terminal", ["--tty"]],
  ])("J5 ends all a command started at its time-out, with %s", async (_, flags) => {
    const place = placeFor(user);
    const child = start(place, ["--timeout", "4", ...flags]);
    await Promise.all([beating(place, child), once(child, "exit")]);
    expect(child.exitCode).toBe(124);
    expect(beatsOf(place)).not.toContain(0);
    await expectSilence(place);
    expect(fs.readdirSync(place.workspace).toSorted()).toEqual(BEATS.toSorted());
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)(
    "J5 ends all a command started when writ gets %s, and says so with %i",
    async (signal, status) => {
      const place = placeFor(user);
      const child = start(place, []);
      await beating(place, child);
      child.kill(signal);
      await once(child, "exit");
      expect(child.exitCode).toBe(status);
      await expectSilence(place);
      expect(fs.readdirSync(place.workspace).toSorted()).toEqual(BEATS.toSorted());
    },
  );

  it("J5 ends all a command started when writ is killed", async () => {
    const place = placeFor(user);
    const child = start(place, []);
    await beating(place, child);
    child.kill("SIGKILL");
    await once(child, "exit");
    for (let last = [-1]; last.join() !== beatsOf(place).join(); await sleep(100)) {
      last = beatsOf(place);
    }
    await expectSilence(place);
  });

  it("J5 ends what a command left in the background when it is over itself", async () => {
    const place = placeFor(user);
    const script = `(while :; do echo x >> one; sleep 0.02; done) & setsid sh -c 'while :; do echo x >> two; sleep 0.02; done' & until [ -s one ] && [ -s two ]; do sleep 0.02; done; exit 5`;
    expect(place.sh(script).status).toBe(5);
    await expectSilence(place);
    expect(
      beatsOf(place)
        .slice(0, 2)
        .every((size) => size > 0),
    ).toBe(true);
  });

  it.each([
    ["exit 0", 0],
    ["exit 7", 7],
    ["exit 255", 255],
    ["kill -9 $$", 137],
    ["kill -SEGV $$", 139],
    ["kill -TERM $$", 143],
    ["exec /no/such/program", 127],
    ["echo > f; exec ./f", 126],
  ])("gives the status of a command that does: %s", (script, status) => {
    const ran = told(placeFor(user), script);
    expect(ran.status).toBe(status);
    expect(ran.receipt.outcome).toEqual({ kind: "exited", code: status });
  });

  it("gives 124 with the limit in the receipt, and 125 where nothing ran", () => {
    const place = placeFor(user);
    const flags = ["--sandbox", "workspace-write", "--timeout", "0.5"];
    const late = told(place, "sleep 20; touch late", { flags });
    expect(late.status).toBe(124);
    expect(late.receipt.outcome).toEqual({ kind: "limit", limit: "wallTimeMs", value: 500 });
    expect(late.receipt.enforced?.limits).toEqual([
      { limit: "wallTimeMs", value: 500, by: "writ" },
    ]);
    fs.symlinkSync("x", path.join(place.workspace, ".git"));
    const never = told(place, "touch ran", { flags });
    expect(never.status).toBe(125);
    expect(never.receipt).toMatchObject({ outcome: { kind: "refused" }, enforced: null });
    expect(fs.readdirSync(place.workspace)).toEqual([".git"]);
  });
});
