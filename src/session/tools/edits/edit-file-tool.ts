import { z } from "zod";
import { readText } from "../read-text.ts";
import { sandboxTool, ToolPath } from "../sandbox-tool.ts";
import { applyEdits } from "./apply-edits.ts";
import { compactDiff } from "./compact-diff.ts";

const EditFileInput = z.strictObject({
  path: ToolPath,
  edits: z
    .array(z.strictObject({ oldText: z.string(), newText: z.string() }))
    .min(1)
    .max(100),
});

/** Replaces passages of a text file, all of them or none. */
export const editFileTool = sandboxTool({
  name: "editFile",
  input: EditFileInput,
  async run({ path, edits }, { calls, signal, ids }) {
    return calls.change({ by: "editFile", signal }, async (held) => {
      const { sandbox, intent } = held;
      const under = { intent, signal, ids: { ...ids, tool: "editFile" } };
      const original = await readText(held, { tool: "editFile", path }, under);
      const { text, changes } = applyEdits(original, edits);
      const written = [{ path, content: Buffer.from(text) }];
      const { receiptId } = await sandbox.writeFiles(written, under);
      return { path, edits: edits.length, diff: compactDiff(original, changes), receiptId };
    });
  },
});
