/**
 * Where the folders of anchors lie: in one folder of this user, that no other command sees.
 *
 * Apart from making them, which takes more to load than a short command has time for.
 */
import fs from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";

/** The folders of one anchor. */
export interface AnchorFolder {
  readonly home: AbsolutePath;
  readonly tmp: AbsolutePath;
  readonly shelf: AbsolutePath;
  /** Removes all of them with all that is in them. */
  remove(): Promise<void>;
}

/** Beside the records of the same user. */
export function anchorsFolder(records: AbsolutePath): AbsolutePath {
  return parseAbsolutePath(`${records}-anchors`);
}

/** Makes the folder, or makes sure that it is ours alone. Throws {@link ExecError}. */
export function openAnchorsFolder(base: AbsolutePath): void {
  if (isOurs(base)) return;
  try {
    fs.mkdirSync(base, { mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cannotKeep(base, messageOf(cause), cause);
  }
  if (isOurs(base)) return;
  throw cannotKeep(base, "it is not a folder that only this user can write, expected one");
}

/**
 * Makes the folder ahead of a command that must not see into it: a sandbox hides what is there, and
 * ends when something appears that it would have had to hide. Whoever opens an anchor is told why not.
 */
export function prepareAnchorsFolder(base: AbsolutePath): void {
  try {
    openAnchorsFolder(base);
  } catch {
    // Said above.
  }
}

function isOurs(base: AbsolutePath): boolean {
  const found = fs.lstatSync(base, { throwIfNoEntry: false });
  return (
    found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o170022) === 0o040000
  );
}

/** Why there are no anchors in a folder, as an error. */
export function cannotKeep(base: AbsolutePath, why: string, cause?: unknown): ExecError {
  return new ExecError("unenforceable", `Cannot keep anchors in "${base}": ${why}`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
