import { randomUUID } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import type { Executor, SandboxIntent } from "../exec/index.ts";
import {
  type AbsolutePath,
  type PathUri,
  parseAbsolutePath,
  uriOfNative,
} from "../policy/index.ts";
import type { ThreadSession } from "../session/index.ts";
import { type AskedPolicy, readPolicy } from "./read-policy.ts";
import { refuseMisuse } from "./refuse-misuse.ts";
import { refuseOldNode } from "./refuse-old-node.ts";
import type { Sandbox } from "./sandbox.ts";
import { COMMAND_OPTIONS, SANDBOX_OPTIONS } from "./sandbox-options.ts";

export interface SandboxOptions {
  /** What commands may touch. There is no default. */
  readonly policy: AskedPolicy;
  /** The folder that is worked on, absolute. */
  readonly workspace: string;
  /** Where writ keeps receipts and settings, absolute; commands never see into it. */
  readonly home: string;
  /** Whose sandbox it is, for receipts; a new name when absent. */
  readonly thread?: string;
  /**
   * `apart` keeps what is written to the workspace in the sandbox: its commands and tools see it, the
   * folder stays as it is, and it goes with the sandbox. Otherwise what is written there is written.
   */
  readonly writes?: "through" | "apart";
}

const NEVER = new AbortController().signal;

/** Opens a sandbox on this machine, under the ceiling of its operator. Throws where the policy cannot be read. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  refuseOldNode();
  refuseMisuse("open a sandbox", options, SANDBOX_OPTIONS);
  const workspace = uriOfNative(workspaceOf(options));
  const intent = intentOf(options.policy, workspace);
  const executor = await localExecutor(options.home);
  const session = await sessionOn(executor, { ...options, workspace, intent });
  const close = async () => {
    try {
      await session.dispose();
    } finally {
      await executor.close();
    }
  };
  return {
    run: async (argv, command = {}) => {
      refuseNoCommand(argv);
      refuseMisuse("run a command", command, COMMAND_OPTIONS);
      const { signal = NEVER, ...more } = command;
      return session.run({ ...more, argv, signal, by: "run" });
    },
    tools: session.tools,
    usePolicy: (policy) => session.useIntent(intentOf(policy, workspace)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Types say it, and what a model asks for comes without: a sandbox would only say that it failed. */
function refuseNoCommand(argv: unknown): void {
  // A list with holes has every word that it has.
  const words: unknown[] = Array.isArray(argv) ? Array.from(argv) : [];
  if (words.length > 0 && words.every((word) => typeof word === "string")) return;
  const what = "expected a list of a program and its arguments";
  throw new TypeError(`Cannot run ${JSON.stringify(argv)}: ${what}`);
}

/** Apart it is held by its own name: a link that leads to it could be turned. */
function workspaceOf({ workspace, writes = "through" }: SandboxOptions): AbsolutePath {
  const folder = parseAbsolutePath(workspace);
  if (writes === "through") return folder;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TypeError(`Cannot keep writes apart from "${folder}": it is no folder, expected one`);
  }
  return parseAbsolutePath(realpathSync(folder));
}

function intentOf(policy: AskedPolicy, workspace: PathUri): SandboxIntent {
  return {
    kind: "enforce",
    context: {
      profile: readPolicy(policy),
      cwd: workspace,
      workspaceRoots: [workspace],
      settings: { windowsSandboxLevel: "disabled" },
    },
  };
}

/** The mode that waives the sandbox is there for who writes it; a ceiling still forbids it. */
async function localExecutor(home: string): Promise<Executor> {
  const { openLocalMachine } = await import("../exec/index.ts");
  const { loadCeilings } = await import("../config/index.ts");
  const ceilings = await loadCeilings(home);
  return openLocalMachine({ home, ceilings, waivers: "allowed" }).executor;
}

interface SessionParts {
  readonly workspace: PathUri;
  readonly intent: SandboxIntent;
  readonly thread?: string;
  readonly writes?: SandboxOptions["writes"];
}

async function sessionOn(
  executor: Executor,
  { workspace, intent, writes, thread = `thread-${randomUUID()}` }: SessionParts,
): Promise<ThreadSession> {
  const { createLocalProvider, ThreadSession } = await import("../session/index.ts");
  const provider = createLocalProvider({ executor, apart: { workspace: writes === "apart" } });
  // Nothing outlives this sandbox, so nothing is remembered of it.
  const forgotten = { remembered: null, onReference: async () => {} };
  return new ThreadSession({ provider, thread, workspace, intent, ...forgotten });
}
