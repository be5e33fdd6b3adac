import { randomUUID } from "node:crypto";
import type { Executor, SandboxIntent } from "../exec/index.ts";
import { type PathUri, parseAbsolutePath, uriOfNative } from "../policy/index.ts";
import type { ThreadSession } from "../session/index.ts";
import { type AskedPolicy, readPolicy } from "./read-policy.ts";
import type { Sandbox } from "./sandbox.ts";

export interface SandboxOptions {
  /** What commands may touch. There is no default. */
  readonly policy: AskedPolicy;
  /** The folder that is worked on, absolute. */
  readonly workspace: string;
  /** Where writ keeps receipts and settings, absolute; commands never see into it. */
  readonly home: string;
  /** Whose sandbox it is, for receipts; a new name when absent. */
  readonly thread?: string;
}

const NEVER = new AbortController().signal;

/** Opens a sandbox on this machine, under the ceiling of its operator. Throws where the policy cannot be read. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const workspace = uriOfNative(parseAbsolutePath(options.workspace));
  const intent = intentOf(options.policy, workspace);
  const executor = await localExecutor(options.home);
  const session = await sessionOn(executor, { ...options, workspace, intent });
  return {
    run: (argv, { signal = NEVER, ...more } = {}) =>
      session.run({ ...more, argv, signal, by: "run" }),
    tools: session.tools,
    usePolicy: (policy) => session.useIntent(intentOf(policy, workspace)),
    async close() {
      try {
        await session.dispose();
      } finally {
        await executor.close();
      }
    },
  };
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
}

async function sessionOn(
  executor: Executor,
  { workspace, intent, thread = `thread-${randomUUID()}` }: SessionParts,
): Promise<ThreadSession> {
  const { createLocalProvider, ThreadSession } = await import("../session/index.ts");
  const provider = createLocalProvider({ executor });
  // Nothing outlives this sandbox, so nothing is remembered of it.
  const forgotten = { remembered: null, onReference: async () => {} };
  return new ThreadSession({ provider, thread, workspace, intent, ...forgotten });
}
