/**
 * All that code outside the session layer sees of a sandbox.
 *
 * It is lazy, and it is never a sandbox of the past: each call goes to the
 * generation that is alive when it is made.
 */
import type { CommandResult } from "./commands/command-result.ts";
import type { SandboxCommands } from "./commands/sandbox-commands.ts";
import type { SandboxCalls } from "./lifecycle/sandbox-calls.ts";
import type { SandboxHolder } from "./lifecycle/sandbox-holder.ts";

export interface WorkspaceCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

export interface WorkspaceFile {
  readonly path: string;
  readonly signal: AbortSignal;
}

export interface SandboxWorkspace {
  /** Of the sandbox that was used last; undefined before there was one. */
  readonly id: string | undefined;
  runCommand(command: WorkspaceCommand): Promise<CommandResult>;
  /** Null where there is no such file, and only there. */
  readFileToBuffer(file: WorkspaceFile): Promise<Buffer | null>;
}

export interface WorkspaceParts {
  readonly holder: SandboxHolder;
  readonly calls: SandboxCalls;
  readonly commands: SandboxCommands;
}

/** Makes a workspace; no sandbox is made by that. */
export function createWorkspace({ holder, calls, commands }: WorkspaceParts): SandboxWorkspace {
  return Object.freeze({
    get id() {
      return holder.reference?.id;
    },
    runCommand: (command: WorkspaceCommand) =>
      commands.run({ ...command, by: "workspace.runCommand" }),
    readFileToBuffer: ({ path, signal }: WorkspaceFile) =>
      calls.call({ by: "workspace.readFileToBuffer", signal }, ({ sandbox, intent }) =>
        sandbox.readFileToBuffer(path, { intent, signal }),
      ),
  });
}
