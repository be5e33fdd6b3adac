import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";

/** dash and no other: what else is called `sh` may add variables of its own to those of a command. */
const PLACES = ["/usr/bin/dash", "/bin/dash"] as AbsolutePath[];

let known: { readonly shell: AbsolutePath | undefined } | undefined;

/** The shell that can wait in a sandbox for its command; nothing where this host has none. */
export function locateShell(): AbsolutePath | undefined {
  known ??= { shell: PLACES.find((path) => isProgram(path)) };
  return known.shell;
}

function isProgram(path: AbsolutePath): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o111) === 0o111;
}
