import fs from "node:fs";
import type { SocketFiles } from "../../../src/rpc/index.ts";

/** The real file system. */
export const socketFiles: SocketFiles = {
  look(path) {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    return found && { isSocket: found.isSocket(), identity: `${found.dev}:${found.ino}` };
  },
  remove: (path) => fs.unlinkSync(path),
  setMode: (path, mode) => fs.chmodSync(path, mode),
};
