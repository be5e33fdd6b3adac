/**
 * Where the folders of a thread lead.
 *
 * A folder is a name, and a command that may write above it can put a link in its
 * place. What a thread was given is the folder that was there then.
 */
import { realPathIfKnown } from "../../exec/index.ts";
import { PolicyError, parseAbsolutePath } from "../../policy/index.ts";
import type { PolicyPlace } from "./policy-place.ts";

export interface SeenFolder {
  readonly path: string;
  readonly real: string;
}

/** Where they lead now. Throws `PolicyError` for one that led elsewhere before. */
export function seeFolders(
  { cwd, workspaceRoots }: PolicyPlace,
  before: readonly SeenFolder[],
): readonly SeenFolder[] {
  return [...new Set([cwd, ...workspaceRoots])].map((path) => {
    const real = realPathIfKnown(parseAbsolutePath(path));
    const known = before.find((one) => one.path === path)?.real;
    if (real !== undefined && (known === undefined || known === real)) return { path, real };
    const leads = real === undefined ? "it leads nowhere" : `it leads to "${real}" now`;
    const expected = known === undefined ? "a folder" : `"${known}", as when the thread took it`;
    throw new PolicyError("unbindable", `Cannot use "${path}": ${leads}, expected ${expected}`);
  });
}
