import { PolicyError, writeExecContext } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import type { ServerTrust } from "./server-trust.ts";

/**
 * Writes the `sandbox` member of a request to one server, or throws before anything is sent.
 *
 * What this machine could enforce plays no part: the intent is for the other one.
 */
export function writeIntent(intent: SandboxIntent, trust: ServerTrust): object | null {
  if (intent.kind === "waived") return null;
  if (trust.kind === "unproven") {
    throw new ExecError(
      "untrustedServer",
      'Cannot send the sandbox to this server: it has not shown that it enforces one, expected "environmentInfo" or "writ" in its answer to "initialize"',
      { field: "sandbox" },
    );
  }
  if (intent.opened !== undefined && intent.opened.length > 0) {
    throw new ExecError(
      "unenforceable",
      "Cannot send the sandbox to this server: it opens places of this machine beside the policy, expected the policy alone",
      { field: "sandbox" },
    );
  }
  const { unturned = [] } = intent;
  if (unturned.length > 0 && !keepsUnturned(trust)) {
    throw new ExecError(
      "unenforceable",
      "Cannot send the sandbox to this server: it has places that may lead nowhere else, expected the policy alone",
      { field: "sandbox" },
    );
  }
  try {
    const written = writeExecContext(intent.context, trust.kind === "writ" ? "carry" : "refuse");
    return unturned.length > 0 ? { ...written, unturned: [...unturned] } : written;
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new ExecError("unenforceable", cause.message, { cause, field: "sandbox" });
  }
}

/** Only a process among overlays says so: it has the same folders at the same places. */
function keepsUnturned(trust: ServerTrust): boolean {
  return trust.kind === "writ" && trust.promise.keepsUnturned === true;
}
