/** An executor in a process of its own, as either user, and what it leaves on the host. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import {
  type AnchorOperations,
  connectExecutor,
  executorOver,
  type RemoteExecutor,
  type StartRequest,
} from "../../../../src/exec/index.ts";
import { type AbsolutePath, type SandboxMode, uriOfNative } from "../../../../src/policy/index.ts";
import { createLineTransport } from "../../../../src/rpc/index.ts";
import { type Collected, collected } from "../../../exec/contract/support/collected.ts";
import { intentOf, requestOf } from "../../../exec/contract/support/contract-place.ts";
import { recordsFor, removeRecords } from "../../../support/records-for.ts";
import { type Place, placeFor, type SandboxUser } from "../../support/sandbox-user.ts";
import { testProgram } from "../../support/test-program.ts";

export interface AnchorLab {
  readonly place: Place;
  /** The process that made the anchors. */
  readonly server: ChildProcess;
  readonly executor: RemoteExecutor;
  readonly anchors: AnchorOperations;
  /** Runs a command to its end, in the workspace and under a mode. */
  run(anchor: string | null, argv: readonly string[], mode?: SandboxMode): Promise<Collected>;
  request(anchor: string | null, argv: readonly string[], mode?: SandboxMode): StartRequest;
}

/** Starts one; `place` has what an earlier one left. */
export async function anchorLab(user: SandboxUser, place = placeFor(user)): Promise<AnchorLab> {
  onTestFinished(() => removeRecords(recordsAt(place)));
  const server = startServer(place);
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) throw new Error("the server has no streams");
  const transport = createLineTransport({ input: stdout, output: stdin });
  const connect = executorOver(transport);
  const executor = await connectExecutor({ connect, clientName: "anchor-lab" });
  onTestFinished(() => executor.close());
  if (executor.anchors === undefined) throw new Error("the executor has no anchors");
  const request = (anchor: string | null, argv: readonly string[], mode?: SandboxMode) => {
    const sandbox = intentOf(mode ?? "workspace-write", place);
    return requestOf("", place, { argv, anchor, sandbox });
  };
  return {
    place,
    server,
    executor,
    anchors: executor.anchors,
    request,
    run: async (...asked) => collected(await executor.start(request(...asked))),
  };
}

/** A shell script as a command. */
export function sh(script: string): string[] {
  return ["/bin/sh", "-c", script];
}

function recordsAt({ workspace }: Place): AbsolutePath {
  return recordsFor(path.dirname(workspace));
}

/** What the server has on record, but for placeholders: others may need one that it made. */
export function recordedAt(place: Place): string[] {
  return namesIn(recordsAt(place)).filter((name) => !name.startsWith("held-"));
}

/** Where the server keeps its anchors. */
export function anchorsAt(place: Place): string {
  return `${recordsAt(place)}-anchors`;
}

/** What is in a folder; nothing where there is none. */
export function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

export interface HolderPids {
  /** The child of the server, and the process that it has made. */
  readonly launcher: number;
  readonly first: number;
}

/** Who holds the networks of a server. */
export function holdersOf({ pid }: ChildProcess): HolderPids[] {
  return pids().flatMap((launcher) => {
    const words = textOf(`/proc/${launcher}/cmdline`).split("\0");
    const isHolder = words.includes("--block-fd") && words.at(-2) === "/";
    if (!isHolder || parentOf(launcher) !== pid) return [];
    const first = pids().find((one) => parentOf(one) === launcher);
    return first === undefined ? [] : [{ launcher, first }];
  });
}

/** Everybody who is in a network, or has it open. */
export function usersOf(network: string): number[] {
  return pids().filter((pid) => {
    const links = namesOrNone(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    return linkOf(`/proc/${pid}/ns/net`) === network || links.includes(network);
  });
}

/** True while it does something. */
export function isAlive(pid: number): boolean {
  const [, state] = /\) (\S)/.exec(textOf(`/proc/${pid}/stat`)) ?? [];
  return state !== undefined && state !== "Z" && state !== "X";
}

function startServer({ argv, installed, env, workspace, give }: Place): ChildProcess {
  give();
  const program = testProgram(installed, "anchor-server");
  const base = path.dirname(workspace);
  const [first = "", ...rest] = [...argv([]).slice(0, -1), ...program, base];
  const server = spawn(first, rest, { cwd: "/", env, stdio: ["pipe", "pipe", "inherit"] });
  server.stdin.on("error", () => {});
  onTestFinished(() => endServer(server));
  return server;
}

/** Its input ends, so it takes all down and leaves. */
async function endServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.stdin?.end();
  await ended;
}

function parentOf(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function linkOf(place: string): string {
  try {
    return readlinkSync(place);
  } catch {
    return "";
  }
}

function namesOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A place as requests name it. */
export const uri = uriOfNative;
