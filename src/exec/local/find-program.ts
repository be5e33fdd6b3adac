import fs from "node:fs";
import path from "node:path";

/** Where the system looks for a program when nobody says so. */
const DEFAULT_PATH = "/bin:/usr/bin";

export interface ProgramPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Which file a name stands for where nothing confines what is started; nothing where there is none to execute. */
export function findProgram(name: string, { cwd, env }: ProgramPlace): string | undefined {
  const folders = name.includes("/") ? ["."] : (env.PATH ?? DEFAULT_PATH).split(":");
  return folders.map((folder) => path.resolve(cwd, folder, name)).find(isProgram);
}

/** Whether this user may execute it. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
