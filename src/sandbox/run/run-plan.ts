/**
 * Runs a plan on the streams of this process and waits for its end.
 *
 * Files on the standard descriptors are relayed through pipes; a signal that
 * asks this process to end also ends the command. A command with a terminal
 * gets what is typed here as it is typed.
 */
import { spawnSync } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { LaunchPlan } from "../launch-plan.ts";
import { keepNoWatches } from "./folder-watch.ts";
import type { RunOutcome } from "./run.ts";
import { type RunningSandbox, type StartOptions, startPlan } from "./start-plan.ts";
import { keepNoStatusFiles } from "./status-file.ts";

export interface RunOptions extends Pick<StartOptions, "records" | "observe" | "ready" | "replan"> {
  /** Hears that the input of this process cannot be read any further; the command gets its end. */
  readonly unread?: (error: Error) => void;
}

/** Starts the plan and waits for its end. Nothing it made is left when this settles. */
export async function runPlan(
  plan: LaunchPlan,
  { unread, ...options }: RunOptions,
): Promise<RunOutcome> {
  const size = terminalSize();
  keepNoWatches();
  keepNoStatusFiles();
  const stop = new AbortController();
  let running: RunningSandbox | undefined;
  let askedBy: NodeJS.Signals | undefined;
  const asked = (signal: NodeJS.Signals) => {
    askedBy ??= signal;
    stop.abort(ASKED);
    running?.end(`${signal} asked for it`);
  };
  // Before anything is started: who dies while bubblewrap starts leaves a part of it behind. And for
  // good: a second one must not end this process before what was made is taken away.
  for (const signal of SIGNALS) process.on(signal, asked);
  try {
    const { signal } = stop;
    running = await startPlan(plan, { ...options, signal, streams: "own", ...(size && { size }) });
    if (askedBy !== undefined) asked(askedBy);
    const outcome = await relayed(running, plan, unread);
    if (askedBy === undefined || outcome.kind !== "ended") return outcome;
    return { kind: "killed", signal: askedBy };
  } catch (error) {
    if (error !== ASKED || askedBy === undefined) throw error;
    return { kind: "killed", signal: askedBy };
  } finally {
    for (const signal of SIGNALS) process.off(signal, asked);
  }
}

async function relayed(
  running: RunningSandbox,
  plan: LaunchPlan,
  unread: RunOptions["unread"],
): Promise<RunOutcome> {
  const stopRelay = relay(running, plan, unread);
  try {
    const outcome = await running.outcome;
    await Promise.all([running.stdout, running.stderr].map(drained));
    return outcome;
  } finally {
    stopRelay();
  }
}

const ASKED = new Error("a signal asked for it");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

function terminalSize() {
  const { columns, rows } = process.stdout;
  return columns > 0 && rows > 0 ? { columns, rows } : undefined;
}

/** Where a pipe stands for a file, what goes through it ends up in the file. */
function relay(
  running: RunningSandbox,
  { terminal }: LaunchPlan,
  unread: RunOptions["unread"],
): () => void {
  const { stdin, stdout, stderr } = running;
  const typed = terminal === "pty" && process.stdin.isTTY;
  if (typed) makeRaw();
  if (stdin !== null) {
    const end = terminal === "pty" ? keyFor(stdin) : () => stdin.end();
    process.stdin.pipe(stdin, { end: false });
    process.stdin.once("end", end).on("error", (error) => {
      unread?.(error);
      end();
    });
  }
  pass(stdout, process.stdout);
  pass(stderr, process.stderr);
  const resized = () => running.resize(terminalSize() ?? { columns: 80, rows: 24 });
  if (terminal === "pty") process.on("SIGWINCH", resized);
  return () => {
    process.off("SIGWINCH", resized);
    if (typed) process.stdin.setRawMode(false);
    // Nobody has touched it otherwise, and to look at it is to load what reads it.
    if (stdin === null) return;
    process.stdin.unpipe(stdin);
    process.stdin.unref?.();
    process.stdin.pause();
  };
}

/**
 * Keys and output as they are: the inner terminal has already done what is to be done with them.
 *
 * Node leaves line ends to the outer one, which then draws a "\n" that a program meant as "down"
 * as a new line. Turning the mode off again restores both.
 */
function makeRaw(): void {
  process.stdin.setRawMode(true);
  spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"], env: STTY_ENV });
}

/** Found where systems have it, and nowhere a project could put one. */
const STTY_ENV = { PATH: "/usr/bin:/bin" };

/** A terminal has no end of its own: the key for it stands for the end of what is typed. */
function keyFor(terminal: Writable): () => void {
  let last = "";
  process.stdin.on("data", (chunk) => {
    last = String(chunk).at(-1) ?? last;
  });
  // Behind the middle of a line the first one only hands on what is there.
  return () => void terminal.write(last === "\n" || last === "" ? EOF : EOF + EOF);
}

const EOF = "\x04";

function pass(from: Readable | null, to: Writable): void {
  if (from === null) return;
  to.once("error", () => from.destroy());
  from.pipe(to);
}

/** What was printed before the end is still on its way. */
async function drained(stream: Readable | null): Promise<void> {
  // Nobody is left to read where it fails.
  if (stream !== null) await finished(stream, { writable: false }).catch(() => {});
}
