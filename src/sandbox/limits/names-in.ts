/** Reads the folder of a process in /proc. What is of one that is over is empty; what cannot be read for another reason throws. */
import fs from "node:fs";

/** Whether something was not found because the process, the thread or the descriptor is gone. */
export function isOfGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ESRCH";
}

/** The names in it. */
export function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (isOfGone(error)) return [];
    throw error;
  }
}

/** Those of them that are numbers, of processes or threads. */
export function numberedIn(folder: string): string[] {
  return namesIn(folder).filter((name) => /^\d+$/.test(name));
}

/** The text of a file in it. */
export function textIn(folder: string, file: string): string {
  try {
    return fs.readFileSync(`${folder}/${file}`, "utf8").trim();
  } catch (error) {
    if (isOfGone(error)) return "";
    throw error;
  }
}
