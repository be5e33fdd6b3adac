import type { AbsolutePath } from "../../../policy/index.ts";
import { isFileName } from "../../rules/is-file-name.ts";
import type { Mount } from "../mount.ts";

/** What hides a place that was made for it. */
export function hidingOf(path: AbsolutePath): Mount {
  if (isFileName(path)) return { op: "hideFile", path };
  return { op: "hideFolder", path, traversable: false };
}
