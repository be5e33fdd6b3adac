/** Sandboxes that die at any moment, in rounds: nothing runs twice, and nothing is left. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Executor } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import { createLocalProvider, SessionError, ThreadSession } from "../../../src/session/index.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import { localExecutor } from "../../exec/contract/support/our-executors.ts";
import { processesWith } from "../../session/provider/support/processes-with.ts";
import { intentIn, NEVER } from "../../session/provider/support/sandbox-of.ts";
import { campaignSeed, rounds } from "../../support/campaign.ts";

const COMMANDS = 4;
/** What may come of a strike, and of a command whose sandbox dies; anything else is a fault. */
const EXPECTED = [
  ...["nothing", "closed", "killed"],
  ...["ran", "interrupted", "stopped", "unavailable"],
];

/** Numbers that are the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The processes that hold networks of this process's anchors. */
function holders(): number[] {
  return processesWith("--remount-ro")
    .filter((pid) => ancestorsOf(pid).includes(process.pid))
    .filter((pid) => readWords(pid).at(-1) === "/")
    .map(Number);
}

function ancestorsOf(pid: string): number[] {
  const parent = /^PPid:\s(\d+)$/m.exec(readOr(`/proc/${pid}/status`))?.[1];
  return parent === undefined || parent === "0" ? [] : [Number(parent), ...ancestorsOf(parent)];
}

function readWords(pid: string): string[] {
  return readOr(`/proc/${pid}/cmdline`).split("\0").filter(Boolean);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Ends whatever sandbox there is, in one of the ways it can end; which, if any. */
async function strike({ anchors }: Executor, way: "close" | "kill"): Promise<string> {
  if (way === "close") {
    const open = (await anchors?.list()) ?? [];
    for (const { anchorId } of open) await anchors?.close(anchorId);
    return open.length === 0 ? "nothing" : "closed";
  }
  const pids = holders();
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was over.
    }
  }
  return pids.length === 0 ? "nothing" : "killed";
}

describe("a thread whose sandbox dies at any moment", () => {
  it("has no command that ran twice, and leaves no process, mount or folder", async () => {
    const random = chance(campaignSeed);
    const { executor, host } = localExecutor();
    const { workspace } = contractPlace();
    const mounts = readFileSync("/proc/self/mounts", "utf8");
    const codes: string[] = [];
    for (let round = 0; round < rounds(200); round += 1) {
      codes.push(...(await aRound(round, { executor, workspace, random })));
    }
    expect(codes.filter((code) => !EXPECTED.includes(code))).toEqual([]);
    for (const seen of ["ran", "interrupted", "closed", "killed"]) expect(codes).toContain(seen);
    const ran = readFileSync(path.join(workspace, "ran"), "utf8").trim().split("\n");
    expect(ran).toEqual([...new Set(ran)]);
    await expect.poll(() => processesWith("writ-round")).toEqual([]);
    await expect.poll(holders).toEqual([]);
    expect(await executor.anchors?.list()).toEqual([]);
    expect(readFileSync("/proc/self/mounts", "utf8")).toBe(mounts);
    expect(readdirSync(`${host.records}-anchors`)).toEqual([]);
  }, 600_000);
});

interface Terms {
  readonly executor: Executor;
  readonly workspace: string;
  readonly random: () => number;
}

/** Settles once a command has said that it runs. */
async function ranIn(workspace: string, line: string): Promise<void> {
  while (!readOr(path.join(workspace, "ran")).split("\n").includes(line)) await sleep(2);
}

/** A session with a few commands, struck once; what came of each, and of the strike. */
async function aRound(round: number, { executor, workspace, random }: Terms): Promise<string[]> {
  const session = new ThreadSession({
    provider: createLocalProvider({ executor }),
    thread: `thread-${round}`,
    workspace: uriOfNative(workspace),
    intent: intentIn(workspace),
    remembered: undefined,
    onReference: async () => {},
  });
  onTestFinished(() => session.dispose());
  // By turns at any moment, and when a command has begun: a busy machine boots late.
  const moment = round % 4 < 2 ? ranIn(workspace, `${round}-0`) : sleep(random() * 120);
  const striking = moment.then(() => strike(executor, round % 2 === 0 ? "close" : "kill"));
  const codes: string[] = [];
  for (let command = 0; command < COMMANDS; command += 1) {
    const script = `echo ${round}-${command} >> ran; sleep 0.0${Math.floor(random() * 10)}`;
    const argv = ["/bin/sh", "-c", script, "writ-round"] as const;
    codes.push(
      await session.run({ argv, by: "test", signal: NEVER }).then(
        ({ exitCode }) => (exitCode === 0 ? "ran" : `exit ${exitCode}`),
        (error: unknown) => (error instanceof SessionError ? error.code : String(error)),
      ),
    );
  }
  codes.push(await striking);
  await session.dispose();
  return codes;
}
