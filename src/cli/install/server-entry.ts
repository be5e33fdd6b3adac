/** The entry of a REPL server in a client's settings, and whose an entry is. */
import path from "node:path";
import { isTable } from "../../config/index.ts";
import { InstallError } from "./install-error.ts";

export interface ServerEntry {
  /** The name of the language is the name of the server. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What writ may stand in for: its settings mean the same. */
const REPLACED = ["writ", "mcp-repl", "posit-mcp-repl"];

/** Throws where an entry has the name but is somebody else's. */
export function refuseForeign(entry: unknown, name: string, file: string): void {
  if (entry === undefined) return;
  const command = isTable(entry) ? entry.command : undefined;
  if (typeof command === "string" && REPLACED.includes(path.basename(command))) return;
  const runs = typeof command === "string" ? `runs "${command}"` : "is no command";
  throw new InstallError(
    `Cannot install "${name}": the server of this name in "${file}" ${runs}, expected none. Rename or remove it first`,
  );
}

/** Whether install wrote an entry. Throws when somebody else has added to it since. */
export function isInstalled(
  entry: unknown,
  keys: readonly string[],
  { name, file }: { readonly name: string; readonly file: string },
): boolean {
  if (!isTable(entry)) return false;
  const { command, args } = entry;
  if (typeof command !== "string" || path.basename(command) !== "writ") return false;
  if (!Array.isArray(args) || args[0] !== "repl") return false;
  const foreign = Object.keys(entry).find((key) => !keys.includes(key));
  if (foreign === undefined) return true;
  throw new InstallError(
    `Cannot remove "${name}": its entry in "${file}" has "${foreign}", which install did not write. Take the entry out by hand`,
  );
}
