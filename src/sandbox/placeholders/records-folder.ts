import fs from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";

/** One a user of the host, whatever their WRIT_HOME: their sandboxes share folders and must know of each other. */
export function recordsFolder(): AbsolutePath {
  return parseAbsolutePath(`/var/tmp/writ-${process.getuid?.() ?? 0}`);
}

/** Makes the folder, or makes sure that it is ours alone to write. */
export function openRecords(folder: AbsolutePath): void {
  if (isOurs(folder)) return;
  try {
    fs.mkdirSync(folder, { mode: 0o755 });
    // Whatever the umask says: other users have to see what is still needed.
    fs.chmodSync(folder, 0o755);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new SandboxError("backendFailed", `Cannot keep records in "${folder}": ${why}`);
    }
  }
  if (isOurs(folder)) return;
  throw new SandboxError(
    "backendFailed",
    `Cannot keep records in "${folder}": it is not a folder that only this user can write, expected one. Remove it`,
  );
}

function isOurs(folder: AbsolutePath): boolean {
  const found = fs.lstatSync(folder, { throwIfNoEntry: false });
  return (
    found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o170022) === 0o040000
  );
}

/** Does what needs the folder; a disk that is full or read-only is told as such. */
export function keepingRecords(folder: AbsolutePath, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof SandboxError || !(cause instanceof Error)) throw cause;
    const what = `they cannot be written (${cause.message}), expected room on a disk that can`;
    throw new SandboxError("backendFailed", `Cannot keep records in "${folder}": ${what}`, {
      cause,
    });
  }
}
