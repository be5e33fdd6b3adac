/**
 * What `write_file`, `edit_file` and `apply_patch` would make of files.
 *
 * Every file is read and matched before the first is written; what does not fit
 * is refused, and then nothing was touched.
 */
import { applyEdits } from "../../session/index.ts";
import { type FileInput, type FileToolName, readFileInput } from "./file-input.ts";
import { applyChunks } from "./patch/apply-chunks.ts";
import { type PatchStep, parsePatch } from "./patch/parse-patch.ts";
import { PatchError } from "./patch/patch-error.ts";
import type { PlannedFile } from "./planned-file.ts";

export type ChangeToolName = Extract<FileToolName, "write_file" | "edit_file" | "apply_patch">;

/** The files of the thread, as a plan sees them. */
export interface FilesToPlan {
  /** A path of the model as the machine names it. */
  at(path: string): string;
  /** Null where there is no such file. */
  read(path: string): Promise<Buffer | null>;
}

type Planner<N extends ChangeToolName> = (
  input: FileInput<N>,
  files: FilesToPlan,
) => Promise<readonly PlannedFile[]>;

const PLANNERS: { readonly [N in ChangeToolName]: Planner<N> } = {
  write_file: async (input, files) => {
    const path = files.at(input.path);
    return [{ path, movePath: null, before: await files.read(path), after: input.content }];
  },
  edit_file: async (input, files) => {
    const path = files.at(input.path);
    const before = await files.read(path);
    if (before === null) throw new Error(`Cannot edit "${path}": there is no file, expected one`);
    const edits = input.edits.map((edit) => ({ oldText: edit.old_text, newText: edit.new_text }));
    const { text } = applyEdits(textOf(before, path), edits);
    return [{ path, movePath: null, before, after: text }];
  },
  apply_patch: ({ input }, files) => planPatch(parsePatch(input), files),
};

export function isChangeTool(name: string): name is ChangeToolName {
  return Object.hasOwn(PLANNERS, name);
}

/** Plans a call. Throws a sentence where it cannot be; what reading a file throws is thrown as it is. */
export async function planChange<N extends ChangeToolName>(
  name: N,
  text: string,
  files: FilesToPlan,
): Promise<readonly PlannedFile[]> {
  const read = readFileInput(name, text);
  if ("refusal" in read) throw new Error(read.refusal);
  return PLANNERS[name](read.input, files);
}

async function planPatch(
  steps: readonly PatchStep[],
  files: FilesToPlan,
): Promise<readonly PlannedFile[]> {
  const named = new Set<string>();
  const planned: PlannedFile[] = [];
  for (const step of steps) {
    const file = await planStep(step, files);
    for (const path of file.movePath === null ? [file.path] : [file.path, file.movePath]) {
      if (named.has(path))
        throw new PatchError(step.line, `"${path}" was named before, expected each file once`);
      named.add(path);
    }
    refuseBelow(step, file, planned);
    planned.push(file);
  }
  return planned;
}

/** The folder would be made first, and what then keeps the file from its place looks like a rule. */
function refuseBelow({ line }: PatchStep, file: PlannedFile, others: readonly PlannedFile[]): void {
  const at = placeIn(file);
  const above = others
    .map(placeIn)
    .find((one) => at?.startsWith(`${one}/`) || one?.startsWith(`${at}/`));
  if (above === undefined) return;
  throw new PatchError(line, `of "${at}" and "${above}" one lies in the other, expected files`);
}

/** Undefined for one that goes. */
function placeIn({ path, movePath, after }: PlannedFile): string | undefined {
  return after === null ? undefined : (movePath ?? path);
}

async function planStep(step: PatchStep, files: FilesToPlan): Promise<PlannedFile> {
  const path = files.at(step.path);
  const before = await files.read(path);
  if (step.kind === "add") {
    if (before === null) return { path, movePath: null, before, after: step.content };
    throw new PatchError(step.line, `"${path}" is there, expected no file to add`);
  }
  if (before === null) throw new PatchError(step.line, `there is no file "${path}", expected one`);
  if (step.kind === "delete") return { path, movePath: null, before, after: null };
  const after = applyChunks(textOf(before, path), step.chunks);
  return { path, movePath: await placeOf(step, files), before, after };
}

async function placeOf(
  { movePath, line }: Extract<PatchStep, { kind: "update" }>,
  files: FilesToPlan,
): Promise<string | null> {
  if (movePath === null) return null;
  const path = files.at(movePath);
  if ((await files.read(path)) === null) return path;
  throw new PatchError(line, `"${path}" is there, expected no file to move to`);
}

function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`Cannot change "${path}": it is not text, expected UTF-8`, { cause });
  }
}
