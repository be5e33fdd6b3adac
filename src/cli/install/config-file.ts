/**
 * A settings file of another program: read once, replaced as a whole.
 *
 * A link is followed, so that the file it names is replaced and the link stays. The old file is
 * whole until the new one is: it is written beside it and then takes its name.
 */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { makeFolder } from "../../sandbox/index.ts";
import { InstallError } from "./install-error.ts";

export interface ConfigFile {
  /** As its program names it. */
  readonly path: string;
  /** Behind every link. */
  readonly target: string;
  /** Nothing when there is no such file. */
  readonly text: string | undefined;
}

/** More is not a settings file, even with the history that some keep in one. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Settings may hold secrets. */
const NEW_FILE = 0o600;
const MARK = "\uFEFF";

/** Reads a file, or finds that there is none. */
export function readConfigFile(file: string): ConfigFile {
  const target = targetOf(file);
  return { path: file, target, text: withoutMark(textOf(target)) };
}

/** Replaces a file, unless somebody else has changed it since it was read. */
export function writeConfigFile({ path: file, target, text }: ConfigFile, next: string): void {
  const draft = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}`);
  try {
    makeFolder(path.dirname(target));
    const now = textOf(target);
    const mark = now?.startsWith(MARK) ? MARK : "";
    writeDraft(draft, mark + next, statOf(target));
    if (withoutMark(textOf(target)) !== text) {
      throw new InstallError(`Cannot write "${file}": it was changed meanwhile. Run this again`);
    }
    fs.renameSync(draft, target);
  } catch (cause) {
    fs.rmSync(draft, { force: true });
    throw asInstallError("write", file, cause);
  }
}

/** With the mode and the owner of the file it replaces. */
function writeDraft(draft: string, text: string, old: fs.Stats | undefined): void {
  const fd = fs.openSync(draft, "wx", NEW_FILE);
  try {
    fs.writeFileSync(fd, text);
    if (old !== undefined) {
      const { uid, gid } = fs.fstatSync(fd);
      if (uid !== old.uid || gid !== old.gid) fs.fchownSync(fd, old.uid, old.gid);
      fs.fchmodSync(fd, old.mode & 0o7777);
    }
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** The mark is one only at the beginning; anywhere else it is text. */
function withoutMark(text: string | undefined): string | undefined {
  return text?.startsWith(MARK) ? text.slice(MARK.length) : text;
}

function targetOf(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch (cause) {
    if (!isMissing(cause)) throw asInstallError("read", file, cause);
    if (statOf(file, "link") === undefined) return file;
    throw new InstallError(
      `Cannot read "${file}": it is a link to nothing, expected a file or none`,
    );
  }
}

/** Opened without waiting: a pipe in the place of a file must not hang whoever reads it. */
function textOf(file: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const found = fs.fstatSync(fd);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(fs.readFileSync(fd));
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw asInstallError("read", file, cause);
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

function statOf(file: string, which: "link" | "target" = "target"): fs.Stats | undefined {
  const options = { throwIfNoEntry: false } as const;
  return which === "link" ? fs.lstatSync(file, options) : fs.statSync(file, options);
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT";
}

function asInstallError(verb: string, file: string, cause: unknown): InstallError {
  if (cause instanceof InstallError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new InstallError(`Cannot ${verb} "${file}": ${why}`, { cause });
}
