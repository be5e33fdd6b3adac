import { z } from "zod";
import { onShelf } from "../skills/on-shelf.ts";
import { refuseOutside } from "../skills/place-of.ts";
import type { SkillShelf } from "../skills/skill-shelf.ts";
import { onRecord } from "./on-record.ts";
import { readText, type TextRequest, textOf } from "./read-text.ts";
import { sandboxTool, ToolPath } from "./sandbox-tool.ts";

const MOST_LINES = 1000;
const MOST_CHARACTERS = 60_000;
const NEW_LINE = 0x0a;

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
  async run({ path, offset, limit }, context) {
    const { skills, hasSandbox } = context;
    const request = { tool: "readFile", path };
    const onHost = hasSandbox() ? undefined : textOnHost(request, skills);
    const { seen, receiptId } =
      onHost === undefined
        ? await onRecord("readFile", context, (held, under) => {
            const inSandbox = () => readText(held, request, under);
            if (held.sandbox.shelf?.isGuarded || skills === undefined) return inSandbox();
            return readUnshelved(request, skills, inSandbox);
          })
        : { seen: onHost, receiptId: null };
    return { path, ...linesOf(seen, offset, limit), receiptId };
  },
});

/** Of a skill, and never from a sandbox; undefined for what is no file of one on the host. */
function textOnHost(request: TextRequest, skills: SkillShelf | undefined): string | undefined {
  const shelved = onShelf(request.path);
  if (shelved === undefined) return undefined;
  refuseOutside(request.path, shelved);
  const bytes = skills?.readOnHost(shelved) ?? null;
  return bytes === null ? undefined : textOf(bytes, request);
}

/** What commands could have changed, or do not have, is read on the host; the rest where it is. */
async function readUnshelved(
  request: TextRequest,
  skills: SkillShelf,
  inSandbox: () => Promise<string>,
): Promise<string> {
  return textOnHost(request, skills) ?? inSandbox();
}

/** Line ends stay as they are. Lines are counted only: a text may have more than there is room for. */
function linesOf(text: string, offset: number, limit: number) {
  const [before, end] = [offset - 1, offset - 1 + limit];
  let [from, to, total] = [before === 0 ? 0 : text.length, text.length, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== NEW_LINE && at + 1 < text.length) continue;
    total += 1;
    if (total === before) from = at + 1;
    if (total === end) to = at + 1;
  }
  const wanted = text.slice(from, to);
  const { content, longLine } = wholeLines(wanted);
  const reasons = [
    ...(offset > 1 ? ["offset"] : []),
    ...(end < total ? ["lines"] : []),
    ...(content.length < wanted.length ? ["characters"] : []),
  ];
  return { content, offset, totalLines: total, isCut: reasons.length > 0, reasons, ...longLine };
}

/** As many lines as there is room for; of a single one that is longer the beginning, and how long it is. */
function wholeLines(wanted: string): { content: string; longLine?: { lineLength: number } } {
  if (wanted.length <= MOST_CHARACTERS) return { content: wanted };
  const end = wanted.lastIndexOf("\n", MOST_CHARACTERS - 1) + 1;
  if (end > 0) return { content: wanted.slice(0, end) };
  const next = wanted.indexOf("\n");
  const lineLength = next < 0 ? wanted.length : next;
  // Half of a character would be none.
  const content = wanted.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
  return { content, longLine: { lineLength } };
}
