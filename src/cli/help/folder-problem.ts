import { statSync } from "node:fs";
import { systemProblem } from "./system-problem.ts";

/** What is there instead of a folder; nothing when it is one. */
export function folderProblem(folder: string): string | undefined {
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return "there is no such folder";
    return found.isDirectory() ? undefined : "it is a file";
  } catch (error) {
    return systemProblem(error);
  }
}
