/** Servers and workers that are killed at any moment, in rounds: nothing runs on, and nothing stays. */
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { campaignSeed, rounds } from "../../../support/campaign.ts";
import { type Place, placeFor, type SandboxUser, USERS } from "../../support/sandbox-user.ts";
import { managed, stateOf, withState } from "./support/call-states.ts";
import { type ReplServer, startServer } from "./support/repl-client.ts";
import { workspaceWrite } from "./support/repl-lab.ts";

const INHERIT = { kind: "inherit", writableRoots: [] } as const;
const STRIKES = ["worker", "server", "both"] as const;
const IDS: Partial<Record<SandboxUser, number>> = {
  root: 0,
  ordinary: process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0),
};

/** Numbers that are the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The scratch folders that a process has made. */
function scratchesOf(user: SandboxUser, pid: number): string[] {
  const base = `/var/tmp/writ-${IDS[user]}-anchors`;
  const names = existsSync(base) ? readdirSync(base) : [];
  return names.filter((name) => name.includes(`-owner-${pid}-`));
}

/** Kills what there is of them. */
function strike(what: (typeof STRIKES)[number], { server, processes }: ReplServer): void {
  const victims = [
    ...(what === "server" ? [] : processes()),
    ...(what === "worker" || server.pid === undefined ? [] : [server.pid]),
  ];
  for (const pid of victims) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was over.
    }
  }
}

/** States by turns, so that workers are replaced as well. */
function statesOf({ workspace }: Place): object[] {
  return [workspaceWrite(workspace), managed([[":root", "read"]])].map((profile) =>
    withState(stateOf(profile, workspace)),
  );
}

/** Kills parts of a REPL at some moment while it is called; the process its server was. */
async function aRound(user: SandboxUser, place: Place, random: () => number): Promise<number> {
  const repl = await startServer(place, INHERIT);
  const { server, call, processes } = repl;
  const { pid = 0 } = server;
  const states = statesOf(place);
  const calls = [0, 1, 0, 1].map((which) => call("nap(0.03)", states[which]).catch(() => {}));
  await sleep(random() * 250);
  const what = STRIKES[Math.floor(random() * STRIKES.length)] ?? "both";
  const over = once(server, "exit");
  strike(what, repl);
  if (what !== "worker") await over;
  await Promise.all(calls);
  if (what === "worker") {
    expect(await call("print 'served'", states[0])).toMatchObject({ isError: false });
    server.stdin?.end();
    await over;
    expect(scratchesOf(user, pid)).toEqual([]);
  }
  await expect.poll(processes).toEqual([]);
  return pid;
}

describe("a REPL whose parts are killed at any moment", () => {
  it("leaves no process and no folder, and serves on where its server lives", async () => {
    const random = chance(campaignSeed);
    const all = USERS.map((user) => ({ user, place: placeFor(user), pids: [] as number[] }));
    for (let round = 0; round < rounds(200); round += 1) {
      for (const { user, place, pids } of all.slice(round % all.length).slice(0, 1)) {
        pids.push(await aRound(user, place, random));
      }
    }
    // The next to start takes away what the dead have left.
    for (const { user, place, pids } of all) {
      const { call } = await startServer(place, INHERIT);
      expect(await call("print 1", statesOf(place)[0])).toMatchObject({ text: "1" });
      expect(pids.flatMap((pid) => scratchesOf(user, pid))).toEqual([]);
    }
  }, 300_000);
});
