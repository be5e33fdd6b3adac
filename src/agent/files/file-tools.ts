import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import type { ToolSource } from "../tools/tool.ts";
import { declareFileTools, isFileTool } from "./file-input.ts";
import { isChangeTool } from "./plan-change.ts";
import { runChange } from "./run-change.ts";
import { isLookTool, runLook } from "./run-look.ts";

/** The tools for files of one thread; a thread that has no machine for them is not told of them. */
export function fileTools(sandbox: ThreadSandbox): ReturnType<ToolSource["openThread"]> {
  return {
    declarations: async ({ frame }) => (frame.environment === null ? [] : declareFileTools()),
    has: isFileTool,
    async run(call, context) {
      const { name } = call;
      if (isLookTool(name)) return runLook({ call, name }, context, sandbox);
      if (isChangeTool(name)) return runChange({ call, name }, context, sandbox);
      throw new Error(`There is no tool "${name}" here`);
    },
    endTurn: async () => {},
    // The session is the thread's, which ends it.
    close: async () => {},
  };
}
