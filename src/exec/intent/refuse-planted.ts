import fs from "node:fs";
import path from "node:path";
import { followPath, SandboxError, type SeenPath } from "../../sandbox/index.ts";
import { ExecError } from "../exec-error.ts";

const FIELD = "sandbox.permissions";
/** S_IWOTH */
const BY_EVERYBODY = 0o002;

/**
 * Throws {@link ExecError} where `TMPDIR` leads through a link in a folder like `/tmp`: other users may have put it
 * there, as may commands of this one under a policy that opened `/tmp` alone, and it would open what it leads to.
 */
export function refusePlanted(tmpdir: SeenPath): void {
  const { real, links } = follow(tmpdir.path);
  const planted = links.find(({ at }) => isOpenToAll(path.dirname(at)));
  if (planted !== undefined) {
    const what = `leads through the link "${planted.at}" to "${planted.target}", and everybody may put links there`;
    throw refusal(tmpdir, what);
  }
  // Whoever can put a link there can take it away for the moment of this look.
  if (real !== tmpdir.real)
    throw refusal(tmpdir, `led to "${tmpdir.real}" and now leads to "${real}"`);
}

function follow(tmpdir: SeenPath["path"]) {
  try {
    return followPath(tmpdir);
  } catch (cause) {
    if (!(cause instanceof SandboxError)) throw cause;
    throw new ExecError("unenforceable", cause.message, { cause, field: FIELD });
  }
}

function refusal({ path: tmpdir }: SeenPath, what: string): ExecError {
  const text = `Cannot use ":tmpdir": "${tmpdir}" ${what}, expected a folder in TMPDIR`;
  return new ExecError("notAllowed", text, { field: FIELD });
}

/** One that is gone holds no links. */
function isOpenToAll(folder: string): boolean {
  const mode = fs.statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & BY_EVERYBODY) !== 0;
}
