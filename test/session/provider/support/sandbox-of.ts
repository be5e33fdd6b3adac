import type { SandboxIntent } from "../../../../src/exec/index.ts";
import type { PermissionProfile, SandboxMode } from "../../../../src/policy/index.ts";
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
export type IntentIn = (workspace: string, mode?: SandboxMode) => SandboxIntent;

/** With rules for files, which the local provider keeps. */
export const intentIn: IntentIn = (workspace, mode = "workspace-write") =>
  intentOf(profileOfPolicy(policyForMode(mode)), workspace);

export function intentOf(profile: PermissionProfile, workspace: string): SandboxIntent {
  const cwd = uriOfNative(workspace);
  const settings = { windowsSandboxLevel: "disabled" } as const;
  return { kind: "enforce", context: { profile, cwd, workspaceRoots: [cwd], settings } };
}

/** How sandboxes, files and scripts are asked for under the intents of one provider. */
export function wordsOf(intentIn: IntentIn) {
  return {
    intentIn,
    /** A sandbox of a thread, for a workspace. */
    sandboxOf: (
      provider: SandboxProvider,
      workspace: string,
      thread = "thread-1",
    ): Promise<ProvidedSandbox> => {
      const intent = intentIn(workspace);
      return provider.create({ thread, intent, workspace: uriOfNative(workspace), signal: NEVER });
    },
    filesUnder: (workspace: string, mode?: SandboxMode): FileRequest => ({
      intent: intentIn(workspace, mode),
      signal: NEVER,
    }),
    /** A shell script in the workspace. */
    scriptOf: (
      script: string,
      workspace: string,
      more: Partial<CommandRequest> = {},
    ): CommandRequest => ({
      argv: ["/bin/sh", "-c", script],
      cwd: ".",
      env: {},
      intent: intentIn(workspace),
      ids: {},
      stdin: "none",
      ...more,
    }),
  };
}

/** Those of the local provider. */
export const { sandboxOf, filesUnder, scriptOf } = wordsOf(intentIn);

/** All that a command printed, and how it ended. */
export async function outcomeOf(command: ProvidedCommand) {
  const printed = { stdout: "", stderr: "" };
  for await (const { stream, chunk } of command.output) {
    printed[stream] += Buffer.from(chunk).toString();
  }
  return { ...printed, ...(await command.ended) };
}
