import type { FileUpdate } from "../items/file-change.ts";
import { unifiedHunks } from "./unified-diff.ts";

/** One file of a change that was thought through and not made yet. */
export interface PlannedFile {
  /** As the machine of the files names it. */
  readonly path: string;
  /** Where it is afterwards, if elsewhere. */
  readonly movePath: string | null;
  /** Null where there is none. */
  readonly before: Buffer | null;
  readonly after: string | null;
}

/** What is shown of it. */
export function updateOf({ path, movePath, before, after }: PlannedFile): FileUpdate {
  if (after === null) return { path, kind: { type: "delete" }, diff: textOf(before) };
  if (before === null) return { path, kind: { type: "add" }, diff: after };
  const diff = unifiedHunks(textOf(before), after);
  return { path, kind: { type: "update", movePath }, diff };
}

/** What has to be done for it. */
export function effectsOf(files: readonly PlannedFile[]) {
  return {
    write: files.flatMap(({ path, movePath, after }) => {
      if (after === null) return [];
      const content = Buffer.from(after);
      return [movePath === null ? { path, content } : { path: movePath, content, modeOf: path }];
    }),
    remove: files.flatMap(({ path, movePath, after }) =>
      after === null || movePath !== null ? [path] : [],
    ),
  };
}

/** Bytes that are no text are shown as what they would be. */
function textOf(bytes: Buffer | null): string {
  return bytes?.toString("utf8") ?? "";
}
