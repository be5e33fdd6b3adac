import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";

/** dash and no other: what else is called `sh` may add variables of its own to those of a command. */
const PLACES = ["/usr/bin/dash", "/bin/dash"] as AbsolutePath[];

/** The shell that can wait in a sandbox for its command; nothing where this host has none now. */
export function locateShell(): AbsolutePath | undefined {
  return PLACES.find((path) => isProgram(path));
}

function isProgram(path: AbsolutePath): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o111) === 0o111;
}
