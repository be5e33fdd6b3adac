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
}

export interface SocketFileFacts {
  readonly isSocket: boolean;
  /** Differs when the file was replaced: device and inode. */
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
};
