import path from "node:path";
import { effectsOf, type PlannedFile } from "./planned-file.ts";

/**
 * Of files that were put in place together, one that is not as it was to be; undefined where all are.
 *
 * Two names may lead to one file, through a link above it. What was made of it first is gone then,
 * and nobody else would notice: each was planned from the file as it was before.
 */
export async function lostAmong(
  files: readonly PlannedFile[],
  read: (path: string) => Promise<Buffer | null>,
): Promise<string | undefined> {
  const { write, remove } = effectsOf(files);
  const names = [...write.map((one) => one.path), ...remove].map((at) => path.posix.basename(at));
  const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  for (const { path: at, content } of write) {
    if (!isTwice(path.posix.basename(at))) continue;
    const now = await read(at);
    if (now === null || !now.equals(content)) return at;
  }
  return undefined;
}
