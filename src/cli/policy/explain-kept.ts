import {
  type AbsolutePath,
  type BoundProfile,
  type Explanation,
  explain,
  isWithin,
} from "../../policy/index.ts";
import type { OwnPaths } from "../../sandbox/index.ts";

/** What a command may do with a path: what the policy says, and what is kept from every command besides. */
export function explainKept(bound: BoundProfile, path: AbsolutePath, own: OwnPaths): Explanation {
  const said = explain(bound, path);
  const holds = (place: AbsolutePath) => isWithin(path, place);
  if (bound.enforcement !== "managed" || own.open?.some(holds)) return said;
  const hidden = own.hidden.find(holds);
  if (hidden !== undefined) return byWrit(path, "deny", hidden);
  const kept = said.access === "write" ? own.readOnly.find(holds) : undefined;
  return kept === undefined ? said : byWrit(path, "read", kept);
}

function byWrit(path: AbsolutePath, access: "deny" | "read", own: AbsolutePath): Explanation {
  const what = access === "deny" ? "hidden from" : "read-only for";
  const reason = `${what} every command, whatever the policy says`;
  return { path, access, rule: `writ's own "${own}"`, reason };
}
