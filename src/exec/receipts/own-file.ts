/** A file of this user's own, made or found: whoever can write it could make up receipts. */
import fs from "node:fs";
import { ReceiptStoreError } from "./receipt-store-error.ts";

/** Whether the file is there. Throws for one that others can change, or that is no plain file. */
export function isOwnFile(file: string): boolean {
  const found = look(file);
  if (found === undefined) return false;
  const wrong = whatIsWrong(found);
  if (wrong === undefined) return true;
  throw new ReceiptStoreError("foreign", `Cannot open "${file}": ${wrong}`);
}

/** What leads there may be no folder, or one that this user may not enter. */
function look(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ReceiptStoreError(
      "unusable",
      `Cannot open "${file}": ${why}, expected a folder that this user can look into. Set WRIT_HOME to one`,
      { cause },
    );
  }
}

function whatIsWrong(found: fs.Stats): string | undefined {
  if (!found.isFile()) return "it is not a plain file, expected one. Move it away";
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if (found.uid !== uid) {
    return "it belongs to another user, expected this one. Set WRIT_HOME to a folder of your own";
  }
  return (found.mode & 0o077) === 0
    ? undefined
    : "others may use it, expected this user alone. Run chmod 600 on it";
}

/** Makes an empty one for this user alone; SQLite gives the files beside it the same rights. */
export function makeOwnFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, "wx", 0o600));
  } catch (cause) {
    // Somebody else was faster, and made the same.
    if (isOwnFile(file)) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ReceiptStoreError(
      /^(?:ENOSPC|EDQUOT)\b/.test(why) ? "full" : "unusable",
      `Cannot make "${file}": ${why}, expected a folder that can be written`,
      { cause },
    );
  }
}

/** Which file is at a place now; nothing where there is none. */
export function fileAt(file: string): string | undefined {
  const found = look(file);
  return found && `${found.dev}:${found.ino}`;
}
