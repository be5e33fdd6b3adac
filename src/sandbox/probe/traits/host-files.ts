import { accessSync, constants, existsSync, readFileSync } from "node:fs";

/** The files a host describes itself with; tests hand in those of other systems. */
export interface HostFiles {
  /** The text without white space around it; nothing when it is missing or may not be read. */
  read(file: string): string | undefined;
  exists(file: string): boolean;
  isWritable(file: string): boolean;
}

/** Those of this host. */
export const realHostFiles: HostFiles = {
  read(file) {
    try {
      return readFileSync(file, "utf8").trim();
    } catch {
      return undefined;
    }
  },
  exists: existsSync,
  isWritable(file) {
    try {
      accessSync(file, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  },
};
