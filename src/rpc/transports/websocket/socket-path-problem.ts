import path from "node:path";

/** The longest socket path the system's address structure holds, in bytes. */
const LONGEST = process.platform === "darwin" ? 103 : 107;

/**
 * Says what is wrong with a socket path, or nothing.
 *
 * A relative path depends on the working directory, one of digits alone is a TCP
 * port to some functions, and one with a NUL is no file.
 */
export function socketPathProblem(file: string): string | undefined {
  if (!path.isAbsolute(file)) return "the path is not absolute, expected an absolute path";
  if (file.includes("\0")) return "the path contains a NUL, expected a path of a file";
  const length = Buffer.byteLength(file);
  if (length > LONGEST) return `the path has ${length} bytes, expected at most ${LONGEST}`;
  return undefined;
}
