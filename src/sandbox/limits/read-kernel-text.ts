import fs from "node:fs";

/** A file of /proc or of a control group, without the line end; nothing when it is not there. */
export function readKernelText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
