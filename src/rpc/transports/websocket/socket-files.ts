/**
 * The file operations that binding a socket path needs.
 *
 * This layer moves messages and owns no files, so whoever asks for a socket path
 * hands these in. They are synchronous: between looking and acting there is no
 * turn in which this process could do something else.
 */
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
