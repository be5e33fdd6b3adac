/** A home with the settings of a client, and `writ install` in it. */
import fs from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { type Run, writIn } from "../../support/cli-world.ts";

export interface ClientHome {
  readonly folder: string;
  install(...args: readonly string[]): Promise<Run>;
  read(name: string): string;
  /** Every file below, by relative name. */
  files(): string[];
}

/** Where the program lies that entries name. */
export const COMMAND = path.resolve(import.meta.dirname, "../../../../bin/writ");

/** Makes one for a test, with files by relative name. Every interpreter is found in it. */
export function clientHome(
  files: Readonly<Record<string, string>>,
  env: (folder: string) => Readonly<Record<string, string>> = () => ({}),
): ClientHome {
  const tools = temporaryFolder({ "bin/python3": "", "bin/bash": "", "r/none": "" });
  for (const name of ["python3", "bash"]) fs.chmodSync(path.join(tools, "bin", name), 0o755);
  const folder = temporaryFolder(files);
  const found = { PATH: path.join(tools, "bin"), R_HOME: path.join(tools, "r"), ...env(folder) };
  return {
    folder,
    install: (...args) => writIn(["install", ...args], { folder, env: found, home: folder }),
    read: (name) => fs.readFileSync(path.join(folder, name), "utf8"),
    files: () => namesBelow(folder),
  };
}

function namesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
