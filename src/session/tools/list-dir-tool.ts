import { z } from "zod";
import { placeOf } from "../skills/place-of.ts";
import { onRecord } from "./on-record.ts";
import { sandboxTool, ToolPath } from "./sandbox-tool.ts";

const MOST_ENTRIES = 1000;

const ListDirInput = z.strictObject({
  path: ToolPath.default("."),
  limit: z.int().min(1).max(MOST_ENTRIES).default(MOST_ENTRIES),
});

/** Names and kinds in a folder, sorted by name. */
export const listDirTool = sandboxTool({
  name: "listDir",
  input: ListDirInput,
  async run({ path, limit }, context) {
    const { seen: all, receiptId } = await onRecord("listDir", context, ({ sandbox }, under) =>
      sandbox.listDir(placeOf(path, sandbox), under),
    );
    const entries = all.slice(0, limit).map(({ name, kind }) => ({ name, kind }));
    const isCut = entries.length < all.length;
    const reasons = isCut ? ["entries"] : [];
    return { path, entries, total: all.length, isCut, reasons, receiptId };
  },
});
