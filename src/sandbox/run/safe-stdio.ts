import { fstatSync } from "node:fs";
import { SandboxError } from "../sandbox-error.ts";

/**
 * How the first three descriptors reach the command.
 *
 * They belong to the host's mounts, whatever the sandbox shows: a file can be
 * opened again for writing through one, and a folder is a way to everything. So
 * only what cannot be opened again is handed on; files are relayed through pipes.
 */
export function safeStdio(): ("inherit" | "pipe")[] {
  return [0, 1, 2].map((fd) => {
    const found = fstatSync(fd);
    if (found.isDirectory()) {
      throw new SandboxError("unprotectablePath", `Cannot start: descriptor ${fd} is a folder`);
    }
    return found.isFile() ? "pipe" : "inherit";
  });
}
