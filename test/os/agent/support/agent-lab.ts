/** Agents with the offline model on real sandboxes: in this process, or through a server of either user. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { OFFLINE_CHOICE, offlineModels } from "../../../../src/agent/index.ts";
import type { Executor } from "../../../../src/exec/index.ts";
import { executorAt } from "../../../../src/exec/remote/executor-at.ts";
import { parseAbsolutePath, type SandboxMode, uriOfNative } from "../../../../src/policy/index.ts";
import {
  openSessionStore,
  type SessionStore,
  SYSTEM_CLOCK,
} from "../../../../src/session/index.ts";
import {
  type LabOptions,
  profileIn,
  type TurnLab,
  turnLab,
} from "../../../agent/support/turn-lab.ts";
import { contractPlace } from "../../../exec/contract/support/contract-place.ts";
import { localExecutor, remoteExecutor } from "../../../exec/contract/support/our-executors.ts";
import { type ExecLab, sharedLab, startLab } from "../../exec-server/support/exec-lab.ts";
import { placeFor, type SandboxUser, USERS } from "../../support/sandbox-user.ts";

export type Where = "in this process" | SandboxUser;

/** Everywhere that commands of an agent can run. */
export const EVERYWHERE: readonly Where[] = ["in this process", ...USERS];

export interface AgentLab extends TurnLab {
  readonly executor: Executor;
  readonly sessions: SessionStore;
  readonly workspace: string;
  readonly outside: string;
}

/** Opens a thread that begins in a mode. Its commands run for real. */
export type OpenAgent = (mode: SandboxMode, options?: LabOptions) => Promise<AgentLab>;

/**
 * Threads in one place. Elsewhere all those of a `describe` ask one server, since to start one takes
 * longer than most of what they do: each has a connection with a session of its own, and its own folders.
 */
export function agentsAt(where: Where): OpenAgent {
  const executorIn = where === "in this process" ? hereFor : elsewhereAs(where);
  return async (mode, options = {}) => {
    const { executor, workspace, outside } = await executorIn();
    const sessions = keptSessions();
    const cwd = uriOfNative(workspace);
    const frame = {
      profile: profileIn(mode),
      ...{ cwd, workspaceRoots: [cwd], model: OFFLINE_CHOICE },
      environment: where === "in this process" ? "local" : "elsewhere",
      ...options.frame,
    };
    const lab = turnLab({
      ...{ models: offlineModels, clock: SYSTEM_CLOCK, sessions },
      ...options,
      ...{ executors: async () => executor, frame },
    });
    return { ...lab, executor, sessions, workspace, outside };
  };
}

function keptSessions(): SessionStore {
  const folder = mkdtempSync("/var/tmp/writ-sessions-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return openSessionStore(parseAbsolutePath(folder));
}

const hereFor = async () => ({ ...contractPlace(), ...localExecutor() });

function elsewhereAs(user: SandboxUser) {
  const server = sharedLab({ user });
  return async () => {
    const place = placeFor(user);
    const { workspace, outside } = place;
    const { url } = isOver(server()) ? await startLab({ user, place }) : server();
    return { executor: await remoteExecutor(executorAt(url)), workspace, outside };
  };
}

/** A test that ends the server must not fail those after it. */
function isOver({ server }: ExecLab): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}

/** A number of seconds to sleep that no other process sleeps. */
export function rareSleep(): string {
  return `sleep ${80_000 + Math.floor(Math.random() * 10_000)}.${process.pid}`;
}

/** How many processes of the machine have these words in their command line, or their program, alone. */
export function processesOf(line: string): number {
  const words = line.replaceAll(" ", "\0");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOr(path.join("/proc", pid, "cmdline")).startsWith(words)).length;
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
