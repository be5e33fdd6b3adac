import path from "node:path";
import { parseAbsolutePath } from "../policy/index.ts";
import { nativeFolders, type OwnPaths, recordsFolder } from "../sandbox/index.ts";
import { anchorsFolder } from "./anchors/anchor-folder.ts";
import { OPEN_SCRATCH, scratchFolder } from "./anchors/scratch-folder.ts";
import { PACKAGE_ROOT } from "./package-root.ts";

/** What of this package runs when a command is started. */
const PROGRAM = ["bin", "dist", "node_modules", "package.json", "workers"];

/** Where settings, records and the program itself lie on this host; `home` is writ's own folder. */
export function ownPathsOf(home: string, sources: readonly string[]): OwnPaths {
  return {
    hidden: [parseAbsolutePath(home), anchorsFolder(recordsFolder())],
    open: OPEN_SCRATCH,
    readOnly: [
      recordsFolder(),
      // Whether it is there or not: what a command made of it would be taken for ours.
      scratchFolder(recordsFolder(), "kept"),
      ...[
        ...PROGRAM.map((name) => path.join(PACKAGE_ROOT, name)),
        ...nativeParts(),
        process.execPath,
      ].map(parseAbsolutePath),
      // Where the policy was read from: whoever writes there decides what the next command may do.
      ...sources.map(parseAbsolutePath),
    ],
  };
}

/** Packages with native parts, which are loaded where they are. */
const NATIVE = ["@koromix", "@lydell", "koffi"];

/**
 * By the names they are loaded by, whether they are there or not: else a command could bring its own for
 * the next start.
 */
function nativeParts(): string[] {
  return nativeFolders().flatMap((folder) => NATIVE.map((name) => path.join(folder, name)));
}
