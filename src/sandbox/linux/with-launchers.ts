import type { AbsolutePath } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { WITHOUT_CORE_DUMPS } from "../limits/core-dumps.ts";
import type { OwnPaths } from "../rules/own-paths.ts";

/** A copy of the mounts that nothing new gets into; bubblewrap alone would still follow the host's. */
export const OWN_MOUNTS = [
  "/usr/bin/unshare",
  "--user",
  "--map-current-user",
  "--mount",
  ...["--propagation", "private"],
  "--",
];

const OTHERS = [OWN_MOUNTS[0], WITHOUT_CORE_DUMPS[0], "/usr/bin/nsenter"] as AbsolutePath[];

/**
 * What is writ's own, with whatever runs outside the sandbox of a command, or of the next one: who can
 * replace a launcher decides how that is confined.
 */
export function withLaunchers(
  own: OwnPaths,
  bwrap: AbsolutePath | undefined,
  { kindOf }: Pick<FileFacts, "kindOf">,
): OwnPaths {
  const there = OTHERS.filter((path) => kindOf(path) === "file");
  return { ...own, readOnly: [...own.readOnly, ...(bwrap === undefined ? [] : [bwrap]), ...there] };
}
