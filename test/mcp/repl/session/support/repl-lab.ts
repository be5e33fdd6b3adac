/** A session over scripted workers, and the calls that come to it. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { ExecHost, LocalMachine } from "../../../../../src/exec/index.ts";
import {
  type CallContext,
  DEFAULT_BUDGET,
  DEFAULT_RETAIN_BYTES,
  PagedOutput,
  type ReplFacts,
  type ReplOutput,
  ReplSession,
  SessionOutput,
  type WorkerPolicy,
} from "../../../../../src/mcp/index.ts";
import { parseAbsolutePath } from "../../../../../src/policy/index.ts";
import { temporaryFolder } from "../../../../support/temporary-folder.ts";
import { shown } from "../../support/printed.ts";
import { ScriptedWorkers } from "./scripted-workers.ts";

export interface LabCall {
  readonly timeoutMs?: number;
  readonly context?: CallContext;
  readonly signal?: AbortSignal;
}

/** What a model reads, and what a program does. */
export interface LabReply {
  readonly text: string;
  readonly isError: boolean;
  readonly facts: ReplFacts;
}

export interface ReplLab {
  readonly session: ReplSession;
  readonly executor: ScriptedWorkers;
  readonly machine: LocalMachine;
  /** A call with no sandbox, for a folder of the workspace. */
  full(folder?: string, extra?: object): CallContext;
  call(input: string, call?: LabCall): Promise<LabReply>;
  /** The text of a reply that is none of an error. */
  run(input: string, call?: LabCall): Promise<string>;
}

/** Calls without a state. */
export const NONE: CallContext = { mcpReq: {} };
/** Calls with one that cannot be meant. */
export const BAD: CallContext = { mcpReq: { _meta: { "codex/sandbox-state-meta": 7 } } };

/** One for a test; calls bring their sandbox unless a policy is set. */
export function replLab(
  output: ReplOutput = filesOutput(),
  policy: WorkerPolicy = { kind: "inherit", writableRoots: [] },
): ReplLab {
  const base = temporaryFolder();
  const [home, records, ws] = [`${base}/home`, `${base}/records`, `${base}/ws`];
  for (const folder of [home, records, ws, path.join(ws, "sub")]) mkdirSync(folder);
  const host: ExecHost = {
    env: { PATH: "/usr/bin:/bin" },
    platform: "linux",
    own: { hidden: [parseAbsolutePath(home)], readOnly: [] },
    records: parseAbsolutePath(records),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: "any", waivers: "allowed", hostNetwork: "allowed" },
  };
  const executor = new ScriptedWorkers();
  const machine: LocalMachine = { host, executor: executor.port };
  const session = new ReplSession({
    ...{ machine, output, policy },
    command: { argv: ["worker"], env: {}, envPolicy: null, terminal: null },
    network: "asSent",
    graceMs: 20,
  });
  onTestFinished(() => session.close());
  const full = (folder = ".", extra: object = {}) =>
    contextOf({ type: "disabled", ...extra }, path.join(ws, folder));
  const call: ReplLab["call"] = async (input, { timeoutMs, context = full(), signal } = {}) => {
    const request = { input, timeoutMs, context, signal: signal ?? new AbortController().signal };
    const { content, isError, facts } = await session.serve(request);
    return {
      text: shown(content).reduce(onNewLine, "\n").slice(1),
      isError,
      facts: facts,
    };
  };
  const run: ReplLab["run"] = async (input, options) => {
    const { text, isError } = await call(input, options);
    if (isError) throw new Error(`Cannot run "${input}": ${text}`);
    return text;
  };
  return { session, executor, machine, full, call, run };
}

export function pagedOutput(): ReplOutput {
  return new PagedOutput({ pageChars: 80, retainBytes: DEFAULT_RETAIN_BYTES });
}

/** Items stand apart; one that ended no line is not on that of the next. */
function onNewLine(before: string, item: string): string {
  return before.endsWith("\n") ? before + item : `${before}\n${item}`;
}

export function filesOutput(): ReplOutput {
  return new SessionOutput({
    budget: DEFAULT_BUDGET,
    bundles: undefined,
    retainBytes: DEFAULT_RETAIN_BYTES,
  });
}

function contextOf(permissionProfile: object, cwd: string): CallContext {
  const state = {
    permissionProfile,
    codexLinuxSandboxExe: null,
    sandboxCwd: `file://${cwd}`,
    useLegacyLandlock: false,
  };
  return { mcpReq: { _meta: { "codex/sandbox-state-meta": state } } };
}
