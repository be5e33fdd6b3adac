import type { SpawnOptions, StdioOptions } from "node:child_process";
import fs from "node:fs";
import type { Duplex, Writable } from "node:stream";
import type { AbsolutePath } from "../../policy/index.ts";
import { spawnWhole } from "../files/lack-of-files.ts";
import { RealPaths } from "../files/real-paths.ts";
import type { Descriptor, LaunchPlan } from "../launch-plan.ts";
import { libc } from "../native/libc.ts";
import { nativeStartOf, spawnNatively } from "../native/spawn-natively.ts";
import { RUN_VARIABLE } from "../placeholders/end-survivors.ts";
import { announceRun } from "../placeholders/record-run.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Child } from "./child.ts";
import { inheritedFrom, shadowsOf } from "./inherited-from.ts";
import { closeStatusFile, followStatus, openStatusFile, type StatusFile } from "./status-file.ts";
import type { StatusReport } from "./status-report.ts";

/** The first three descriptors of the command: streams of ours, those of this process, or a terminal. */
export type Standard = readonly ("inherit" | "pipe" | "ignore" | number)[];

export interface Launched {
  readonly child: Child;
  /** What the back-end reports; nothing where there is no back-end. */
  readonly status: StatusReport | undefined;
  /** Settles when the back-end says that everything is built, or is over; nothing where it cannot say so. */
  readonly built: Promise<void> | undefined;
  /** Lets the command run; nothing where there is no back-end to wait for it. */
  readonly open: (() => void) | undefined;
}

export interface LaunchPlace {
  readonly standard: Standard;
  /** A folder that no command can reach. */
  readonly records: AbsolutePath;
  /** What the run is called there. */
  readonly run: string;
  /** `own` makes the command the leader of a group, and of a session. */
  readonly group: "own" | "shared";
  /** What a spare's shell reads its order from. */
  readonly order?: number | undefined;
}

/** Starts a plan. Decides nothing; if it needs an `if` about policy, the planner is missing one. */
export function launch(plan: LaunchPlan, place: LaunchPlace): Launched {
  const { standard, records, run, group, order } = place;
  const [program = plan.argv[0], ...args] = [...plan.prefix, ...plan.argv];
  const paths = new RealPaths();
  const report = reportOf(plan, records);
  try {
    const own = [...standard, ...descriptorsOf(plan, paths, { report: report?.fd, order })];
    const stdio = own as StdioOptions & unknown[];
    if (report !== undefined) announceRun(records, run);
    // A back-end sets the command's variables itself, so that this one stays with the back-end.
    const env = report === undefined ? plan.env : { ...plan.env, [RUN_VARIABLE]: run };
    // With a terminal, a program before the command makes the session.
    const detached = group === "own" && plan.terminal === "none";
    const child = start(program, args, { cwd: plan.cwd, env, stdio, detached });
    sendInputs(plan, child);
    const status = report === undefined ? undefined : followStatus(report, child);
    return { child, status, built: whenBuilt(plan, child), open: gateOf(plan, child) };
  } catch (error) {
    if (report !== undefined) closeStatusFile(report, report.start);
    throw error;
  } finally {
    paths.close();
  }
}

type StartOptions = SpawnOptions & { readonly stdio: unknown[] };

function start(program: string, args: readonly string[], options: StartOptions): Child {
  try {
    return startNatively(program, args, options) ?? startByNode(program, args, options);
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = code === "E2BIG" ? "its arguments take more room than the kernel gives" : why;
    throw new SandboxError("backendFailed", `Cannot start "${program}": ${what}`, { cause });
  }
}

/** Nothing where that cannot be done, and nothing was started. */
function startNatively(program: string, args: readonly string[], options: SpawnOptions) {
  const library = libc();
  const wanted = library && nativeStartOf(program, args, options);
  return wanted && spawnNatively(library, wanted);
}

/** Node leaves open what this process was started with; each is replaced by nothing. */
function startByNode(program: string, args: readonly string[], options: StartOptions): Child {
  const nothing = fs.openSync("/dev/null", "r+");
  try {
    const own = options.stdio;
    const shadows = shadowsOf(inheritedFrom(own.length), own.length, nothing);
    return spawnWhole(program, args, { ...options, stdio: [...own, ...shadows] as StdioOptions });
  } finally {
    fs.closeSync(nothing);
  }
}

function reportOf({ descriptors }: LaunchPlan, records: AbsolutePath): StatusFile | undefined {
  return descriptors.some(({ kind }) => kind === "status") ? openStatusFile(records) : undefined;
}

interface OpenFiles {
  readonly report: number | undefined;
  readonly order: number | undefined;
}

function descriptorsOf({ descriptors }: LaunchPlan, paths: RealPaths, open: OpenFiles) {
  return descriptors.map((one) => {
    switch (one.kind) {
      case "path":
        return paths.open(one.path);
      case "status":
        return open.report;
      case "order":
        return orderOrRefuse(open.order);
      default:
        return "pipe";
    }
  });
}

function orderOrRefuse(order: number | undefined): number {
  if (order !== undefined) return order;
  throw new SandboxError("backendFailed", "Cannot build a sandbox ahead: nothing gives it orders");
}

/** What is read at once, by the back-end or by the command. */
function sendInputs({ descriptors }: LaunchPlan, child: Child): void {
  for (const [index, one] of descriptors.entries()) {
    if (one.kind !== "arguments" && one.kind !== "input") continue;
    const stream = child.stdio[FIRST_DESCRIPTOR + index] as Writable | null | undefined;
    // A back-end that cannot be started is told by the process, not here.
    stream?.on("error", () => {});
    sendAll(stream, one.kind === "input" ? one.bytes : one.words.map(ended).join(""));
  }
}

const ended = (word: string) => `${word}\0`;

/**
 * All of it, and its end, which the reader waits for. What the kernel has taken is ended at once;
 * ending it as a stream takes a turn more, and the turn is somebody else's where much goes on.
 */
function sendAll(stream: Writable | null | undefined, all: string | Uint8Array): void {
  stream?.write(all);
  if (stream?.writableLength === 0) stream.destroy();
  else stream?.end();
}

function gateOf(plan: LaunchPlan, child: Child): Launched["open"] {
  const gate = plan.descriptors.find((one) => one.kind === "gate");
  const stream = streamOf(plan, child, "gate");
  // A back-end that fails early closes it; that is told by the status, not here.
  stream?.on("error", () => {});
  return gate && (() => sendAll(stream, gate.bytes));
}

/** It reads one byte when all is built, and closes its side: that is the sign. */
function whenBuilt(plan: LaunchPlan, child: Child): Launched["built"] {
  const stream = streamOf(plan, child, "built");
  if (stream === undefined) return undefined;
  return new Promise((resolve) => {
    for (const sign of ["end", "close", "error"]) stream.once(sign, () => resolve());
    stream.resume().end("\n");
  });
}

function streamOf({ descriptors }: LaunchPlan, child: Child, wanted: Descriptor["kind"]) {
  const index = descriptors.findIndex(({ kind }) => kind === wanted);
  if (index === -1) return undefined;
  return (child.stdio[FIRST_DESCRIPTOR + index] ?? undefined) as Duplex | undefined;
}

const FIRST_DESCRIPTOR = 3;
