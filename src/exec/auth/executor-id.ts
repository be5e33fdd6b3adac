/**
 * The name under which an exec-server is signed for.
 *
 * Every start gets an id of its own, also under a name that the operator chose:
 * what was signed for a server that is gone is then for somebody else, whatever
 * the clocks say.
 */
import { randomBytes } from "node:crypto";
import { StartupError } from "./startup-error.ts";

/** An id for this start: `NAME/RANDOM`, the name from `--executor-id`. */
export function createExecutorId(name = "executor"): string {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
    throw new StartupError(
      "invalidFlags",
      `Cannot use ${JSON.stringify(name)} as an executor id: expected 1 to 64 of A-Z a-z 0-9 . _ -`,
    );
  }
  return `${name}/${randomBytes(16).toString("hex")}`;
}
