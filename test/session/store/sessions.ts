import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { KeptSession } from "../../../src/session/store/kept-session.ts";

/** A session that is kept, with what a test says about it. */
export function aSession(more: Partial<KeptSession> = {}): KeptSession {
  return {
    thread: "thread-1",
    id: "sandbox-1",
    provider: "local",
    state: "ready",
    boundDigest: "b".repeat(64),
    profileDigest: "p".repeat(64),
    dependencies: null,
    generation: 1,
    createdAt: Date.UTC(2026, 0, 1),
    lastUsedAt: Date.UTC(2026, 0, 1),
    liveWork: 2,
    ...more,
  };
}

/** Starts a process that keeps sessions, and settles once it has; it is ended with the test. */
export async function startKeeper(...args: string[]): Promise<ChildProcess> {
  const program = path.join(import.meta.dirname, "keeper.ts");
  const keeper = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void keeper.kill("SIGKILL"));
  await once(createInterface({ input: keeper.stdout }), "line");
  return keeper;
}

/** Settles when it is over and collected. */
export async function kill(keeper: ChildProcess): Promise<void> {
  const ended = once(keeper, "exit");
  keeper.kill("SIGKILL");
  await ended;
}
