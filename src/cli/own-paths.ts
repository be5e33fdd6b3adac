import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type AbsolutePath, parseAbsolutePath } from "../policy/index.ts";
import { type OwnPaths, recordsFolder } from "../sandbox/index.ts";
import type { CliWorld } from "./command.ts";
import { ownHome } from "./policy/bind-flags.ts";

/** What of this package runs when a command is started. */
const PROGRAM = ["bin", "dist", "node_modules", "package.json"];

/** Where settings, records and the program itself lie on this host. */
export function ownPaths(world: CliWorld): OwnPaths {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  return {
    hidden: [realOrPlanned(ownHome(world))],
    readOnly: [
      recordsFolder(),
      ...PROGRAM.map((name) => realOrPlanned(path.join(root, name))),
      realOrPlanned(process.execPath),
    ],
  };
}

/** Where a path leads, or would lead once it is made. */
function realOrPlanned(file: string): AbsolutePath {
  try {
    return parseAbsolutePath(realpathSync(file));
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!missing || path.dirname(file) === file) throw error;
    return parseAbsolutePath(path.join(realOrPlanned(path.dirname(file)), path.basename(file)));
  }
}
