/** Server, client or the proxy between them is killed at any moment: nothing is left, lost or run twice. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Receipt } from "../../../src/sandbox/index.ts";
import { campaignSeed, rounds } from "../../support/campaign.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { type ExecLab, startLab } from "./support/exec-lab.ts";
import { type FaultChain, openChain } from "./support/fault-chain.ts";
import { type ReadReply, SeenOutput } from "./support/seen-output.ts";
import { until, type WireClient } from "./support/wire-client.ts";
import { workspaceWrite } from "./support/wire-intent.ts";
import { run, startOf } from "./support/wire-process.ts";

const VICTIMS = ["server", "proxy", "client"] as const;
const ROUNDS = rounds(200);

/** Small and repeatable; the seed is that of the campaign. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed % 2_147_483_647 || 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const MARK = "WRIT_FAULT_TEST";

/** A command that says that it ran, prints bursts of lines, has a child of its own, and exits with 5. */
function commandOf(lab: ExecLab, round: number, way: number) {
  const { workspace } = lab.place;
  const [isWaived, tty] = [way === 0, way === 1];
  const lines = `seq -f r${round}-%05g 1 1500`;
  const child = isWaived ? "kill $!" : ":";
  const script = `echo ${round} >> ran; sleep 1000 >/dev/null 2>&1 & for i in 1 2 3 4 5 6; do ${lines} || exit 6; sleep 0.02; done; ${child}; exit 5`;
  const params = startOf(workspace, script, {
    processId: `round-${round}`,
    env: { PATH: "/usr/bin:/bin", [MARK]: workspace },
    sandbox: isWaived ? null : workspaceWrite([workspace]),
    tty,
  });
  const line = (number: number) =>
    `r${round}-${String(number).padStart(5, "0")}${tty ? "\r" : ""}\n`;
  const burst = Array.from({ length: 1500 }, (_, index) => line(index + 1)).join("");
  return { params, expected: burst.repeat(6), isWaived };
}

/**
 * Waits for a moment to strike: some time after the start was sent, or after some events.
 *
 * Without a sandbox it is a process beside the server that ends a command with it, and that is told
 * of the command a moment after it began. So it has printed something by then.
 */
async function momentOf(wire: WireClient, random: (below: number) => number, isWaived: boolean) {
  if (!isWaived && random(3) === 0) return sleep(random(80));
  const events = random(12);
  const hasSeen = () => wire.notes.filter(({ params }) => params.processId).length > events;
  const isOver = () => wire.notes.some(({ method }) => method === "process/closed");
  return until("some events", () => hasSeen() || isOver());
}

/** A new way to the server, back in the session, as soon as the server has noticed that the old one is gone. */
async function comeBack(lab: ExecLab, session: string): Promise<FaultChain> {
  for (;;) {
    const chain = await openChain(lab.url);
    const hello = { clientName: "test", resumeSessionId: session };
    const { error } = await chain.wire.tryCall("initialize", hello);
    if (error === undefined) {
      chain.wire.notify("initialized");
      return chain;
    }
    chain.close();
    if (error.code !== -32010) throw new Error(error.message);
  }
}

/** What the session knows of a process after the number; nothing when it was never started. */
async function readAfter(wire: WireClient, processId: string, afterSeq: number) {
  for (;;) {
    const { result, error } = await wire.tryCall("process/read", { processId, afterSeq });
    if (error === undefined) return result as unknown as ReadReply;
    if (!error.message.endsWith("is starting")) return undefined;
  }
}

/** Follows a process to its end, over a new connection. */
async function finish(lab: ExecLab, session: string, seen: SeenOutput, processId: string) {
  const { wire, close } = await comeBack(lab, session);
  const missed = await readAfter(wire, processId, seen.last);
  if (missed !== undefined) {
    seen.takeRead(missed);
    if (!seen.isClosed) await seen.follow(wire);
  }
  close();
  return missed !== undefined;
}

/** Processes that came from commands of this place; those that are gone have no variables. */
function livingIn(workspace: string): string[] {
  const isOurs = (pid: string) => {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
      return variables.includes(`${MARK}=${workspace}`);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOurs(name));
}

/** A start sweeps what those before it left; what it cannot remove itself is left to the next one. */
async function sweepAndLook(lab: ExecLab): Promise<void> {
  const { workspace } = lab.place;
  const isClean = () => readdirSync(workspace).join() === "ran";
  for (let starts = 0; starts < 3; starts += 1) {
    await startTrue(lab);
    await until("no process is left", () => livingIn(workspace).length === 0);
    await until("no placeholder is left", isClean, 20_000).catch(() => {});
    if (isClean()) break;
  }
  expect(readdirSync(workspace)).toEqual(["ran"]);
  const mounts = readFileSync("/proc/self/mountinfo", "utf8");
  expect(mounts.includes(path.dirname(workspace))).toBe(false);
}

async function startTrue(lab: ExecLab): Promise<void> {
  const { workspace } = lab.place;
  const client = await lab.open();
  const sandbox = workspaceWrite([workspace]);
  const { exitCode } = await run(client, startOf(workspace, "true", { sandbox }));
  client.link.cut();
  expect(exitCode).toBe(0);
}

function receiptsOf(lab: ExecLab): Receipt[] {
  const { status, stdout } = lab.place.run(["receipts", "--json", "--limit", "10000"]);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

describe("a kill -9", () => {
  it("leaves nothing behind, loses no output and runs nothing twice", {
    timeout: ROUNDS * 30_000,
  }, async () => {
    const random = randomFrom(campaignSeed);
    const place = placeFor(USERS[0] ?? "ordinary");
    let lab = await startLab({ place });
    const finished: string[] = [];
    await sweepFirst(lab);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const victim = VICTIMS[random(VICTIMS.length)] ?? "server";
      const { params, expected, isWaived } = commandOf(lab, round, random(3));
      const chain = await openChain(lab.url);
      const session = await chain.wire.open();
      chain.wire.tryCall("process/start", params).catch(() => {});
      const seen = new SeenOutput(params.processId);
      const followed = seen.follow(chain.wire);
      await momentOf(chain.wire, random, isWaived);
      if (victim === "server") {
        lab.server.kill("SIGKILL");
        await followed;
        lab = await startLab({ place });
        await sweepAndLook(lab);
        continue;
      }
      chain.kill(victim);
      await followed;
      if (!(await finish(lab, session, seen, params.processId))) continue;
      expect([round, seen.exitCode, seen.isClosed]).toEqual([round, 5, true]);
      expect(seen.text).toBe(expected);
      finished.push(params.processId);
    }
    await sweepAndLook(lab);
    const ran = readFileSync(path.join(place.workspace, "ran"), "utf8").trim().split("\n");
    expect(new Set(ran).size).toBe(ran.length);
    const outcomes = receiptsOf(lab).map(({ ids, outcome }) => [ids.process, outcome.kind]);
    const ids = outcomes.map(([id]) => id).filter((id) => id?.startsWith("round-"));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(ran.map((round) => `round-${round}`)));
    for (const id of finished) expect(outcomes).toContainEqual([id, "exited"]);
    expect(outcomes.filter(([, kind]) => kind === "running")).toEqual([]);
  });
});

/** So that the list of names is the same from the first round on. */
async function sweepFirst(lab: ExecLab): Promise<void> {
  const client = await lab.open();
  await run(client, startOf(lab.place.workspace, "echo 0 > ran", { processId: "round-0" }));
  client.link.cut();
}

const [CONNECTIONS, COMMANDS, PRINTED] = [16, 6, 100_000];
/** Several times what was seen, and far below what keeping everything would come to. */
const MOST_BYTES = 600e6;

describe("many clients at once", () => {
  it("each get all of theirs, in bounded memory", { timeout: 300_000 }, async () => {
    const lab = await startLab();
    const { workspace } = lab.place;
    const sandbox = workspaceWrite([workspace]);
    const work = async (_: unknown, client: number) => {
      const wire = await lab.open();
      for (let command = 0; command < COMMANDS; command += 1) {
        const word = `c${client}-${command}\n`;
        const script = `yes c${client}-${command} | head -c ${PRINTED}`;
        const { stdout, exitCode } = await run(wire, startOf(workspace, script, { sandbox }));
        expect([exitCode, stdout]).toEqual([0, word.repeat(PRINTED).slice(0, PRINTED)]);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    const status = readFileSync(`/proc/${lab.server.pid}/status`, "utf8");
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024).toBeLessThan(MOST_BYTES);
    const outcomes = receiptsOf(lab).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(CONNECTIONS * COMMANDS).fill({ kind: "exited", code: 0 }));
  });
});
