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
  async run({ path, content }, { calls, signal, ids }) {
    const bytes = Buffer.from(content);
    const { receiptId } = await calls.change({ by: "writeFile", signal }, ({ sandbox, intent }) => {
      const under = { intent, signal, ids: { ...ids, tool: "writeFile" } };
      return sandbox.writeFiles([{ path, content: bytes }], under);
    });
    return { path, bytesWritten: bytes.length, receiptId };
  },
});
