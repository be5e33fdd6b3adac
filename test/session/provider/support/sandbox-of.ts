import type { SandboxIntent } from "../../../../src/exec/index.ts";
import type { SandboxMode } from "../../../../src/policy/index.ts";
import { policyForMode, profileOfPolicy, uriOfNative } from "../../../../src/policy/index.ts";
import type {
  CommandRequest,
  ProvidedCommand,
} from "../../../../src/session/provider/provided-command.ts";
import type {
  FileRequest,
  ProvidedSandbox,
} from "../../../../src/session/provider/provided-sandbox.ts";
import type { SandboxProvider } from "../../../../src/session/provider/sandbox-provider.ts";

export const NEVER = new AbortController().signal;

/** What a thread of that mode intends in a workspace. */
export function intentIn(workspace: string, mode: SandboxMode = "workspace-write"): SandboxIntent {
  const cwd = uriOfNative(workspace);
  return {
    kind: "enforce",
    context: {
      profile: profileOfPolicy(policyForMode(mode)),
      cwd,
      workspaceRoots: [cwd],
      settings: { windowsSandboxLevel: "disabled" },
    },
  };
}

/** A sandbox of a thread, for a workspace. */
export function sandboxOf(
  provider: SandboxProvider,
  workspace: string,
  thread = "thread-1",
): Promise<ProvidedSandbox> {
  const intent = intentIn(workspace);
  return provider.create({ thread, intent, workspace: uriOfNative(workspace), signal: NEVER });
}

export function filesUnder(workspace: string, mode?: SandboxMode): FileRequest {
  return { intent: intentIn(workspace, mode), signal: NEVER };
}

/** A shell script in the workspace. */
export function scriptOf(
  script: string,
  workspace: string,
  more: Partial<CommandRequest> = {},
): CommandRequest {
  return {
    argv: ["/bin/sh", "-c", script],
    cwd: ".",
    env: {},
    intent: intentIn(workspace),
    ids: {},
    stdin: "none",
    ...more,
  };
}

/** All that a command printed, and how it ended. */
export async function outcomeOf(command: ProvidedCommand) {
  const printed = { stdout: "", stderr: "" };
  for await (const { stream, chunk } of command.output) {
    printed[stream] += Buffer.from(chunk).toString();
  }
  return { ...printed, ...(await command.ended) };
}
