import { z } from "zod";
import { sandboxTool, ToolPath } from "./sandbox-tool.ts";

const HOUR_MS = 60 * 60_000;

const BashInput = z.strictObject({
  command: z.string().refine((text) => text.trim() !== "", "expected a command"),
  cwd: ToolPath.optional(),
  timeoutMs: z.int().min(1).max(HOUR_MS).optional(),
});

/** Runs a command line as a script of its own: what it is made of is never joined with other text. */
export const bashTool = sandboxTool({
  name: "bash",
  input: BashInput,
  async run({ command, cwd = ".", timeoutMs }, { commands, signal, env, network, ids }) {
    const argv = ["/bin/bash", "-c", command] as const;
    const result = await commands.run({
      ...{ by: "bash", argv, cwd, timeoutMs, signal, env, network },
      ids: { ...ids, tool: "bash" },
    });
    return { ok: result.exitCode === 0, cwd, ...result };
  },
});
