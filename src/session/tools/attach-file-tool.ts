import path from "node:path";
import { z } from "zod";
import { Refusal } from "../refusal.ts";
import { placeOf } from "../skills/place-of.ts";
import { mimeTypeOf } from "./mime-type-of.ts";
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
    const found = await find(input.path, context);
    const { length: size } = found.content;
    if (size === 0) throw refusal(`"${input.path}" is empty, expected a file with content`);
    if (size > MOST_BYTES) {
      throw refusal(`"${input.path}" has ${size} bytes, expected at most ${MOST_BYTES}`);
    }
    const filename = path.posix.basename(input.filename ?? input.path);
    if (filename === "" || filename === "." || filename === "..") {
      throw refusal(`"${filename}" is no name of a file, expected one`);
    }
    const mimeType = input.mimeType ?? found.mimeType ?? mimeTypeOf(filename);
    return { path: input.path, filename, mimeType, size, content: found.content };
  },
});

interface Found {
  readonly content: Uint8Array;
  readonly mimeType?: string;
}

async function find(at: string, { calls, signal, artifact }: ToolContext): Promise<Found> {
  const content = await calls.call({ by: "attachFile", signal }, ({ sandbox, intent }) =>
    sandbox.readFileToBuffer(placeOf(at, sandbox), { intent, signal }),
  );
  if (content !== null) return { content };
  const made = artifact(path.posix.basename(at));
  if (made !== undefined) return made;
  throw new Refusal("notFound", `Cannot run "attachFile": there is no file "${at}", expected one`);
}

function refusal(problem: string): Refusal {
  return new Refusal("invalidInput", `Cannot run "attachFile": ${problem}`);
}
