import { z } from "zod";
import { placeOf } from "../skills/place-of.ts";
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
  async run({ path, limit }, { calls, signal }) {
    const all = await calls.call({ by: "listDir", signal }, ({ sandbox, intent }) =>
      sandbox.listDir(placeOf(path, sandbox), { intent, signal }),
    );
    const entries = all.slice(0, limit).map(({ name, kind }) => ({ name, kind }));
    const isCut = entries.length < all.length;
    return { path, entries, total: all.length, isCut, reasons: isCut ? ["entries"] : [] };
  },
});
