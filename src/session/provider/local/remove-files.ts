/**
 * Takes files away by a command in the sandbox, under the intent of the call.
 *
 * So what holds for a command holds for a removal, and there is a receipt of it.
 */
import { Refusal, refuseAborted } from "../../refusal.ts";
import type { SessionError, SessionErrorCode } from "../../session-error.ts";
import type { FileRequest, FilesChanged } from "../provided-sandbox.ts";
import { nativePath, sandboxPath } from "../sandbox-path.ts";
import { heldPlace } from "./held-place.ts";
import { MOST_AT_ONCE, type ReplacePlace } from "./replace-files.ts";

const MISSING = 3;
const NOT_EMPTY = 4;

/** All are looked at before the first is taken away. A link is taken away itself, never followed. */
const REMOVE = `${heldPlace.ENTER}
is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }
for path do
  [ -e "$path" ] || [ -L "$path" ] || exit ${MISSING}
  is_folder "$path" && [ -n "$(ls -A -- "$path")" ] && exit ${NOT_EMPTY}
done
for path do
  enter "$path" || exit 1
  if is_folder "$at"; then rmdir -- "$at"; else rm -f -- "$at"; fi || exit 1
done`;

const TOLD: Readonly<Record<number, readonly [SessionErrorCode, string]>> = {
  [MISSING]: ["notFound", "there is nothing of that name, expected a file or an empty folder"],
  [NOT_EMPTY]: ["exists", "something is in it, expected nothing"],
};
const CLOSED: (typeof TOLD)[number] = [
  "forbidden",
  "the policy or the rights of the user do not allow it, expected a path that they open",
];

/** Removes files and empty folders. */
export async function removeFiles(
  paths: readonly string[],
  under: FileRequest,
  { run, workspace }: ReplacePlace,
): Promise<FilesChanged> {
  const all = paths.map((path) => nativePath(sandboxPath(workspace, path)));
  let receiptId: string | null = null;
  for (let at = 0; at < all.length; at += MOST_AT_ONCE) {
    const some = all.slice(at, at + MOST_AT_ONCE);
    refuseAborted(under.signal, `remove "${some[0] ?? ""}"`);
    const end = await run(
      ["/bin/sh", "-c", REMOVE, "sh", heldPlace.firstWord(under), ...some],
      under,
    );
    ({ receiptId } = end);
    if (end.exitCode !== 0) throw refusal(some, end);
  }
  return { receiptId };
}

function refusal(
  paths: readonly string[],
  { exitCode, receiptId }: FilesChanged & { readonly exitCode: number },
): SessionError {
  const [code, what] = TOLD[exitCode] ?? CLOSED;
  const thing = paths.length === 1 ? `"${paths[0]}"` : "these files";
  return new Refusal(code, `Cannot remove ${thing}: ${what}`, { receiptId });
}
