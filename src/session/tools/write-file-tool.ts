import { z } from "zod";
import { sandboxTool, ToolPath } from "./sandbox-tool.ts";

const WriteFileInput = z.strictObject({
  path: ToolPath.refine((path) => !/(^|\/)\.{0,2}$/.test(path), "expected the path of a file"),
  content: z.string(),
});

/** Writes a file as a whole, with the folders above it. */
export const writeFileTool = sandboxTool({
  name: "writeFile",
  input: WriteFileInput,
  async run({ path, content }, { calls, signal }) {
    const bytes = Buffer.from(content);
    await calls.change({ by: "writeFile", signal }, ({ sandbox, intent }) =>
      sandbox.writeFiles([{ path, content: bytes }], { intent, signal }),
    );
    return { path, bytesWritten: bytes.length };
  },
});
