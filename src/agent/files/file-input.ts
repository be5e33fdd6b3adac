/**
 * What the tools for files take, for the model and for us.
 *
 * A member that is not here is refused: it may have been meant as a restriction.
 */
import { z } from "zod";
import type { ToolDeclaration } from "../model/model.ts";
import { readToolInput } from "../tools/read-tool-input.ts";

const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => text.trim() !== "" && !text.includes("\0"), "expected a path")
  .describe("Absolute, or from the folder of the thread.");
const text = z.string().refine((one) => one.isWellFormed(), "expected text, not broken Unicode");
const count = (most: number) => z.int().min(1).max(most).optional();

const SCHEMAS = {
  read_file: z.strictObject({
    path,
    offset: z.int().min(1).optional().describe("The first line, from 1."),
    limit: count(1000).describe("How many lines at most."),
  }),
  list_dir: z.strictObject({ path: path.optional(), limit: count(1000) }),
  grep: z.strictObject({
    pattern: z.string().min(1).max(4096).describe("An extended regular expression."),
    path: path.optional().describe("A file or a folder; that of the thread."),
    literal: z.boolean().optional().describe("Whether the pattern is plain text."),
    ignore_case: z.boolean().optional(),
    context: z.int().min(0).max(10).optional().describe("Lines around each match."),
    glob: z.string().min(1).max(256).optional().describe("Of file names, such as *.ts."),
    limit: count(100).describe("How many matches at most."),
  }),
  view_image: z.strictObject({ path }),
  write_file: z.strictObject({ path, content: text.describe("All of the file.") }),
  edit_file: z.strictObject({
    path,
    edits: z
      .array(z.strictObject({ old_text: text.min(1), new_text: text }))
      .min(1)
      .max(100)
      .describe("Each replaces a passage that is in the file exactly once."),
  }),
  apply_patch: z.strictObject({
    input: text.min(1).describe('From "*** Begin Patch" to "*** End Patch".'),
  }),
};

const DESCRIPTIONS: Readonly<Record<FileToolName, string>> = {
  read_file: "Reads lines of a text file.",
  list_dir: "Lists a folder.",
  grep: "Searches files for a pattern.",
  view_image: "Shows you a picture (png, jpeg, gif or webp).",
  write_file: "Writes a file as a whole, with the folders above it.",
  edit_file: "Replaces passages of a text file, all of them or none.",
  apply_patch:
    "Changes files by a patch of the lines *** Begin Patch, *** Add File: PATH, *** Delete File: PATH, *** Update File: PATH, *** Move to: PATH, @@ and *** End Patch; all of it or nothing.",
};

export type FileToolName = keyof typeof SCHEMAS;
export type FileInput<N extends FileToolName> = z.output<(typeof SCHEMAS)[N]>;

const LIMITS = { maxLength: 8 << 20, maxDepth: 16, maxValues: 1024 };

export function isFileTool(name: string): name is FileToolName {
  return Object.hasOwn(SCHEMAS, name);
}

/** Reads the input of a call, or says in a sentence what is wrong with it. */
export function readFileInput<N extends FileToolName>(
  name: N,
  text: string,
): { readonly input: FileInput<N> } | { readonly refusal: string } {
  const read = readToolInput({ tool: name, schema: SCHEMAS[name], text, limits: LIMITS });
  return "refusal" in read ? read : { input: read.input as FileInput<N> };
}

let declared: readonly ToolDeclaration[] | undefined;

/** All of them, as a model is told of them. */
export function declareFileTools(): readonly ToolDeclaration[] {
  declared ??= Object.entries(SCHEMAS).map(([name, schema]) => ({
    name,
    description: DESCRIPTIONS[name as FileToolName],
    inputSchema: z.toJSONSchema(schema),
  }));
  return declared;
}
