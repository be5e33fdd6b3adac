/**
 * What a planner may ask of the file system.
 *
 * Planners are pure: they get the answers, not the disk. `realFileFacts` asks
 * this host; tests hand in a tree of their own.
 */
import { isUtf8 } from "node:buffer";
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
} from "node:fs";
import type { AbsolutePath, GlobRule } from "../../policy/index.ts";
import { kernelMounts } from "../linux/mount-table/kernel-mounts.ts";
import { SandboxError } from "../sandbox-error.ts";
import { closedOnTheWay } from "./closed-on-the-way.ts";
import { WALK_BOUNDS } from "./globs/glob-budget.ts";
import { type FoundByGlobs, GlobCache, type GlobMatch } from "./globs/glob-cache.ts";
import { boundSockets } from "./sockets/bound-sockets.ts";

/** `closed` is what this user cannot look at: the folder it lies in may not be entered. */
export type FileKind = "directory" | "file" | "link" | "special" | "missing" | "closed";

export interface FileFacts {
  /** What is at the path itself; a link is a link. */
  kindOf(path: AbsolutePath): FileKind;
  /** What a link says, as it is written. */
  linkAt(path: AbsolutePath): string;
  /** How a file begins; nothing where there is none or it cannot be read. */
  textAt(path: AbsolutePath): string;
  /** Whether this user can make something in a folder, if need be by opening it up first. */
  canMakeIn(folder: AbsolutePath): boolean;
  /** Whether everybody may put something into a folder, as into `/tmp`. */
  isOpenToAll(folder: AbsolutePath): boolean;
  /** The first folder on the way to one, or that itself, that commands of this user cannot enter. */
  closedTo(folder: AbsolutePath): string | undefined;
  /** Where else than in its usual places a file system of the kernel is mounted. */
  kernelMounts(): readonly AbsolutePath[];
  /** Where in the file system somebody on this host listens, as far as the kernel tells. */
  sockets(): readonly AbsolutePath[];
  /** Every real path that one of the patterns denies. */
  matchesOf(globs: readonly GlobRule[]): readonly GlobMatch[];
}

const denied = new GlobCache();
/** What the kernel has does not change while it runs. */
const kernelKinds = new Map<AbsolutePath, FileKind>();

/** Looks for what patterns deny without holding up anything else; the answer goes into the facts. */
export function findDenied(globs: readonly GlobRule[]): Promise<readonly GlobMatch[]> {
  return globs.length === 0 ? Promise.resolve([]) : denied.expandAside(globs, WALK_BOUNDS);
}

/** Whether they still find that, and nothing else but what was made since. */
export function findsAgain(
  found: FoundByGlobs,
  isMade: (path: AbsolutePath) => boolean,
): Promise<boolean> {
  return denied.findsAgain(found, WALK_BOUNDS, isMade);
}

/** The answers of this host, each asked for once; `matches` are those of {@link findDenied}. */
export function realFileFacts(matches: readonly GlobMatch[]): FileFacts {
  const asked = new Map<AbsolutePath, FileKind>();
  const open = new Map<AbsolutePath, boolean>();
  const targets = new Map<AbsolutePath, string>();
  return {
    kindOf(path) {
      const kinds = path.startsWith("/proc/") ? kernelKinds : asked;
      const kind = kinds.get(path) ?? lookAt(path);
      kinds.set(path, kind);
      return kind;
    },
    linkAt(path) {
      const target = targets.get(path) ?? targetOf(path);
      targets.set(path, target);
      return target;
    },
    textAt: beginningOf,
    canMakeIn(folder) {
      const known = open.get(folder) ?? isOpenOrOwn(folder);
      open.set(folder, known);
      return known;
    },
    isOpenToAll,
    closedTo: closedFor,
    sockets: boundSockets,
    // They come and go.
    kernelMounts: () => kernelMounts(readFileSync("/proc/self/mountinfo", "utf8")),
    matchesOf: () => matches,
  };
}

function lookAt(path: AbsolutePath): FileKind {
  const found = statOrMissing(path);
  if (found === undefined) return "missing";
  if (found === "closed") return "closed";
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "directory";
  return found.isFile() ? "file" : "special";
}

/** What was a link a moment ago may be something else by now. */
function targetOf(path: AbsolutePath): string {
  let target: Buffer;
  try {
    target = readlinkSync(path, "buffer");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("unprotectablePath", `Cannot look at "${path}": ${why}`, { cause });
  }
  // It would read as another name, and a rule on that one would protect nothing.
  if (isUtf8(target)) return target.toString();
  throw new SandboxError(
    "unprotectablePath",
    `Cannot follow the link "${path}": what it leads to is not UTF-8, expected a name that is`,
  );
}

/** A file in the place of a folder means that nothing can be below it. */
function statOrMissing(path: AbsolutePath) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOTDIR") return undefined;
    if (code === "EACCES") return "closed";
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("unprotectablePath", `Cannot look at "${path}": ${why}`, { cause });
  }
}

/** Root may enter them all, and its commands may not: of those the mode tells. */
function closedFor(folder: AbsolutePath): string | undefined {
  if (process.getuid?.() === 0) {
    const closed = closedOnTheWay(folder);
    // Whoever builds the sandbox is refused all the same.
    return closed?.mayBeListed ? undefined : closed?.folder;
  }
  return hasAccess(folder, constants.X_OK) === "yes" ? undefined : folder;
}

/** S_IWOTH */
const BY_EVERYBODY = 0o002;

/** One that is gone holds nothing. */
function isOpenToAll(folder: AbsolutePath): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & BY_EVERYBODY) !== 0;
}

function isOpenOrOwn(folder: AbsolutePath): boolean {
  const access = hasAccess(folder, constants.W_OK);
  // Nobody can open what is mounted read-only.
  if (access !== "no") return access === "yes";
  return lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function hasAccess(folder: AbsolutePath, mode: number): "yes" | "no" | "readOnly" {
  try {
    accessSync(folder, mode);
    return "yes";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EROFS" ? "readOnly" : "no";
  }
}

const BEGINNING_BYTES = 4096;

/** Not through a link, and without waiting for a pipe that poses as a file. */
function beginningOf(path: AbsolutePath): string {
  try {
    // An error is dearer than a look.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return "";
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(BEGINNING_BYTES);
      return bytes.toString("utf8", 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}
