import { nativeOfUri, type PathUri } from "../../../../policy/index.ts";
import { Refusal } from "../../../refusal.ts";

/** A URI as the path of a VM. Throws `invalidInput` where it is none. */
export function vmPathOf(uri: PathUri): string {
  const path = nativeOfUri(uri);
  if (path?.startsWith("/")) return path;
  throw new Refusal("invalidInput", `Cannot use "${uri}": it is no path of a VM, expected one`);
}
