import { realPathIfKnown } from "../../exec/index.ts";
import { isWithin, PolicyError, parseAbsolutePath } from "../../policy/index.ts";
import { invalidPolicy, type RefusalWording } from "./invalid-policy.ts";
import type { PolicyPlace } from "./policy-place.ts";

/** A project may not add a root that is not in one of the user's, whatever it may do there now. */
export function refuseRoots(
  place: PolicyPlace,
  within: PolicyPlace,
  wording: RefusalWording,
): void {
  const real = (root: string) => realPathIfKnown(parseAbsolutePath(root));
  const users = within.workspaceRoots.flatMap((root) => real(root) ?? []);
  const stranger = place.workspaceRoots.find((root) => {
    const at = real(root);
    return at === undefined || !users.some((user) => isWithin(at, user));
  });
  if (stranger === undefined) return;
  const what = `a project file adds the workspace root "${stranger}", expected one in the workspace`;
  throw invalidPolicy(new PolicyError("widens", `Cannot use the profile: ${what}`), wording);
}
