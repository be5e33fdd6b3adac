import type { ToolSource } from "../tools/tool.ts";
import { declareCommandTools } from "./command-input.ts";
import { runExecCommand } from "./exec-command.ts";
import type { ThreadCommands } from "./thread-commands.ts";
import { runWriteStdin } from "./write-stdin.ts";

const RUNNERS = new Map([
  ["exec_command", runExecCommand],
  ["write_stdin", runWriteStdin],
]);

/** The tools for commands of one thread; a thread that has nowhere to run them is not told of them. */
export function commandTools(commands: ThreadCommands): ReturnType<ToolSource["openThread"]> {
  return {
    declarations: async ({ frame }) => (frame.environment === null ? [] : declareCommandTools()),
    has: (name) => RUNNERS.has(name),
    async run(call, context) {
      const runner = RUNNERS.get(call.name);
      if (runner === undefined) throw new Error(`There is no tool "${call.name}" here`);
      return runner(call, context, commands);
    },
    endTurn: (context) => commands.endTurn(context),
    close: () => commands.close(),
  };
}
