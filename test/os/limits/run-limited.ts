/** Runs a command in a real sandbox under real limits, as root and as an ordinary user. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { inject } from "vitest";
import type { LimitName, PlannedLimit } from "../../../src/sandbox/limits/plan-limits.ts";
import type { LimitMeans } from "../../../src/sandbox/limits/probe-limit-means.ts";
import { testProgram } from "../support/test-program.ts";

export interface LimitedRequest {
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  readonly command: readonly string[];
  /** In place of the control groups this host really has. */
  readonly groups?: LimitMeans["groups"];
  /** In place of other means this host really has. */
  readonly means?: Partial<Omit<LimitMeans, "groups" | "ceilings">>;
  readonly dieAtGate?: boolean;
}

export interface LimitedReport {
  readonly error?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The limit for which the watch ended it. */
  readonly ended?: LimitName | undefined;
  readonly exceeded: readonly LimitName[];
  readonly applied: readonly PlannedLimit[];
  /** The most processes of the command seen at once. */
  readonly most: number;
  /** Groups and processes that are still there. */
  readonly left: readonly string[];
}

const installed = inject("installedProgram");
/** A copy of Node.js that everybody can start. */
export const NODE = path.join(installed, "node_modules/.bin/node");

/** Who the tests can be. */
export const CALLERS = process.getuid?.() === 0 ? (["root", "ordinary"] as const) : ["ordinary"];
export type Caller = "root" | "ordinary";

/** Runs it and reads the report; nothing when it was told to die. */
export function runLimited(caller: Caller, request: LimitedRequest): LimitedReport | undefined {
  const words = [...testProgram(installed, "limited-run"), JSON.stringify(request)];
  const [program = "", ...args] = [...changeTo(caller), ...words];
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 40_000 });
  if (request.dieAtGate) return undefined;
  if (!stdout.startsWith("{")) throw new Error(`Cannot run under limits: ${stderr}`);
  return JSON.parse(stdout);
}

/** Starts something else of the same user, outside every sandbox. */
export function startAs(caller: Caller, command: readonly string[]): ChildProcess {
  const [program = "", ...args] = [...changeTo(caller), ...command];
  return spawn(program, args, { stdio: "ignore" });
}

function changeTo(caller: Caller): string[] {
  if (caller === "root" || process.getuid?.() !== 0) return [];
  return ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
}

/** Runs a perl script, which must give a report. */
export function perl(
  caller: Caller,
  script: string,
  rest: Omit<LimitedRequest, "command">,
): LimitedReport {
  const found = runLimited(caller, { ...rest, command: ["/usr/bin/perl", "-e", script] });
  if (found === undefined) throw new Error("Cannot read a report: the run died");
  return found;
}
