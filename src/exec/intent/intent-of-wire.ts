import { PolicyError, readExecContext } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";
import type { SandboxIntent } from "./sandbox-intent.ts";

/**
 * Reads the `sandbox` member of a request: the one place where "nothing" becomes a waiver.
 *
 * Clients of this wire leave it out, or send null, to run without a sandbox on
 * purpose; `by` is whose word that is. Anything else is an intent or an error.
 */
export function intentOfWire(sandbox: unknown, by: string): SandboxIntent {
  if (sandbox === undefined || sandbox === null) {
    return { kind: "waived", by, reason: "the client asked for no sandbox" };
  }
  try {
    return { kind: "enforce", context: readExecContext(sandbox) };
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new ExecError("invalidRequest", cause.message, { cause, field: "sandbox" });
  }
}
