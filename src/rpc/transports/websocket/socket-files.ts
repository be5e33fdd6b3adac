/**
 * The file operations that binding a socket path needs.
 *
 * They are synchronous: between looking and acting there is no turn in which
 * this process could do something else. A test hands in its own to fail at will.
 */
import fs from "node:fs";

export interface SocketFiles {
  /** What is at `path` itself, links not followed; undefined when there is nothing. */
  look(path: string): SocketFileFacts | undefined;
  remove(path: string): void;
  setMode(path: string, mode: number): void;
  /** Gives the file `from` a second name; false, and nothing done, when `to` exists. */
  link(from: string, to: string): boolean;
  /** Makes an empty file; false, and nothing done, when `path` exists. */
  create(path: string): boolean;
}

export interface SocketFileFacts {
  readonly isSocket: boolean;
  /** Device and inode: tells files apart as long as the one compared with still exists. */
  readonly identity: string;
}

/** The real file system. */
export const socketFiles: SocketFiles = {
  look(path) {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    return found && { isSocket: found.isSocket(), identity: `${found.dev}:${found.ino}` };
  },
  remove: (path) => fs.unlinkSync(path),
  setMode: (path, mode) => fs.chmodSync(path, mode),
  link: (from, to) => unlessExists(() => fs.linkSync(from, to)),
  create: (path) => unlessExists(() => fs.closeSync(fs.openSync(path, "wx", 0o600))),
};

function unlessExists(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
