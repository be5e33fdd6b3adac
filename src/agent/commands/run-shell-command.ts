import type { ToolContext } from "../tools/tool.ts";
import { commandItem, shellArgv } from "./command-item.ts";
import { launched } from "./exec-command.ts";
import type { ThreadCommands } from "./thread-commands.ts";

export interface ShellLine {
  readonly id: string;
  readonly line: string;
}

/** Runs what the user typed, under the policy of the thread like any command; waits for its end. */
export async function runShellCommand(
  { id, line }: ShellLine,
  context: ToolContext,
  commands: ThreadCommands,
): Promise<void> {
  const { frame, port, now } = context;
  const argv = shellArgv(line, "login");
  const item = commandItem({ id, argv, cwd: frame.cwd, source: "userShell", call: null });
  port.emit({ kind: "itemStarted", item, atMs: now() });
  const launch = { item, cwd: frame.cwd, hasTerminal: false, waivedFor: null };
  const command = await launched(launch, context, commands);
  if ("next" in command) return;
  const number = commands.keep(command, context.turn);
  const state = await commands.wait(command, null, context);
  commands.forget(number);
  command.complete(state === "aborted" ? { status: "failed" } : {});
}
