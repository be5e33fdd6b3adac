import { parseAbsolutePath } from "../policy/index.ts";
import { type FileFacts, realFileFacts } from "./files/file-facts.ts";
import { withLaunchers } from "./linux/with-launchers.ts";
import { locateBubblewrap } from "./probe/locate-bubblewrap.ts";
import type { OwnPaths } from "./rules/own-paths.ts";

/** What is kept from every command of this host: writ's own, and what sandboxes are made with. */
export function ownOnHost(
  own: OwnPaths,
  files: Pick<FileFacts, "kindOf"> = realFileFacts([]),
): OwnPaths {
  if (process.platform !== "linux") return own;
  const { path } = locateBubblewrap();
  return withLaunchers(own, path === undefined ? path : parseAbsolutePath(path), files);
}
