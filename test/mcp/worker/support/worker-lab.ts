/** A worker on an executor that starts nothing, and the calls that come to it. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { ExecHost, LocalMachine } from "../../../../src/exec/index.ts";
import {
  type CallContext,
  SandboxedWorker,
  type SandboxedWorkerOptions,
} from "../../../../src/mcp/index.ts";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { ScriptedExecutor } from "../../confine/support/scripted-executor.ts";

export interface WorkerLab {
  readonly worker: SandboxedWorker;
  readonly executor: ScriptedExecutor;
  /** What each process printed and how it ended, one list a process. */
  readonly heard: string[][];
  /** A call with no sandbox, whose folder is one of the workspace's. */
  full(folder?: string): CallContext;
  /** A call with nothing but reads. */
  readOnly(): CallContext;
  /** What lies in the folder of scratch folders. */
  scratches(): string[];
  /** Where they would lie. */
  readonly scratchBase: string;
}

/** Without a state. */
export const NONE: CallContext = { mcpReq: {} };

/** One for a test; its processes end when their input does. */
export function workerLab(more: Pick<SandboxedWorkerOptions, "words"> = {}): WorkerLab {
  const base = temporaryFolder();
  const [home, records, ws] = ["home", "records", "ws"].map((name) => path.join(base, name));
  if (home === undefined || records === undefined || ws === undefined) throw new Error("no names");
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
  const scratchBase = `${records}-anchors`;
  const executor = new ScriptedExecutor();
  executor.onLine = () => {};
  const machine: LocalMachine = { host, executor: executor.port };
  const heard: string[][] = [];
  const worker = new SandboxedWorker({
    machine,
    command: { argv: ["/bin/sh"], env: {}, envPolicy: null, terminal: null },
    policy: { kind: "inherit", writableRoots: [] },
    network: "asSent",
    attach: () => {
      const lines: string[] = [];
      heard.push(lines);
      return {
        output: (chunk) => void lines.push(String(chunk)),
        ended: (exit) => void lines.push(`ended ${exit?.exitCode}`),
      };
    },
    graceMs: 20,
    ...more,
  });
  onTestFinished(() => worker.close());
  return {
    ...{ worker, executor, heard },
    full: (folder = ".") => call({ type: "disabled" }, path.join(ws, folder)),
    readOnly: () => call(READ_ONLY, ws),
    scratches: () => (existsSync(scratchBase) ? readdirSync(scratchBase) : []),
    scratchBase,
  };
}

const READ_ONLY = {
  type: "managed",
  file_system: {
    type: "restricted",
    entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }],
  },
  network: "restricted",
};

function call(permissionProfile: object, cwd: string): CallContext {
  const state = {
    permissionProfile,
    codexLinuxSandboxExe: null,
    sandboxCwd: `file://${cwd}`,
    useLegacyLandlock: false,
  };
  return { mcpReq: { _meta: { "codex/sandbox-state-meta": state } } };
}
