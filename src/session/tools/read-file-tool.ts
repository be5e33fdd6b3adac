import { z } from "zod";
import { readText } from "./read-text.ts";
import { sandboxTool, ToolPath } from "./sandbox-tool.ts";

const MOST_LINES = 1000;
const MOST_CHARACTERS = 60_000;

const ReadFileInput = z.strictObject({
  path: ToolPath,
  /** The first line that is wanted; lines count from 1. */
  offset: z.int().min(1).default(1),
  limit: z.int().min(1).max(MOST_LINES).default(MOST_LINES),
});

/** Reads lines of a text file, and says which of how many. */
export const readFileTool = sandboxTool({
  name: "readFile",
  input: ReadFileInput,
  async run({ path, offset, limit }, { calls, signal }) {
    const text = await calls.call({ by: "readFile", signal }, (held) =>
      readText(held, { tool: "readFile", path, signal }),
    );
    return { path, ...linesOf(text, offset, limit) };
  },
});

/** Line ends stay as they are. */
function linesOf(text: string, offset: number, limit: number) {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const wanted = lines.slice(offset - 1, offset - 1 + limit).join("");
  const content = wanted.slice(0, MOST_CHARACTERS);
  const reasons = [
    ...(offset > 1 ? ["offset"] : []),
    ...(offset - 1 + limit < lines.length ? ["lines"] : []),
    ...(content.length < wanted.length ? ["characters"] : []),
  ];
  return { content, offset, totalLines: lines.length, isCut: reasons.length > 0, reasons };
}
