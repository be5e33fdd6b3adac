import path from "node:path";
import { z } from "zod";
import { Refusal } from "../refusal.ts";
import type { SessionErrorCode } from "../session-error.ts";
import { placeOf } from "../skills/place-of.ts";
import { mimeTypeOf } from "./mime-type-of.ts";
import { onRecord } from "./on-record.ts";
import { sandboxTool, type ToolContext, ToolPath } from "./sandbox-tool.ts";

const MOST_BYTES = 10 << 20;

const AttachFileInput = z.strictObject({
  path: ToolPath,
  filename: ToolPath.optional(),
  mimeType: z
    .string()
    .regex(/^[\w.+-]{1,64}\/[\w.+-]{1,64}$/)
    .optional(),
});

/** Hands over a file of the sandbox, or one of the same turn that has its name. */
export const attachFileTool = sandboxTool({
  name: "attachFile",
  input: AttachFileInput,
  async run(input, context) {
    const { content, receiptId, ...found } = await find(input.path, context);
    const filename = path.posix.basename(input.filename ?? input.path);
    const problem = problemOf(content, filename, input);
    if (problem !== undefined) throw refusal("invalidInput", problem, receiptId);
    const mimeType = input.mimeType ?? found.mimeType ?? mimeTypeOf(filename);
    const { length: size } = content;
    return { path: input.path, filename, mimeType, size, content, receiptId };
  },
});

interface Found {
  readonly content: Uint8Array;
  readonly mimeType?: string;
  readonly receiptId: string | null;
}

async function find(at: string, context: ToolContext): Promise<Found> {
  const { seen, receiptId } = await onRecord("attachFile", context, ({ sandbox }, under) =>
    sandbox.readFileToBuffer(placeOf(at, sandbox), under),
  );
  if (seen !== null) return { content: seen, receiptId };
  const made = context.artifact(path.posix.basename(at));
  if (made !== undefined) return { ...made, receiptId };
  throw refusal("notFound", `there is no file "${at}", expected one`, receiptId);
}

function problemOf(
  { length: size }: Uint8Array,
  filename: string,
  { path: given }: { readonly path: string },
): string | undefined {
  if (size === 0) return `"${given}" is empty, expected a file with content`;
  if (size > MOST_BYTES) return `"${given}" has ${size} bytes, expected at most ${MOST_BYTES}`;
  if (filename !== "" && filename !== "." && filename !== "..") return undefined;
  return `"${filename}" is no name of a file, expected one`;
}

function refusal(code: SessionErrorCode, problem: string, receiptId: string | null): Refusal {
  return new Refusal(code, `Cannot run "attachFile": ${problem}`, { receiptId });
}
