import { type ExecContext, PolicyError, readExecContext } from "../../policy/index.ts";
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
    const context = readExecContext(sandbox);
    refuseTooMany(context);
    return { kind: "enforce", context };
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new ExecError("invalidRequest", cause.message, { cause, field: "sandbox" });
  }
}

/** Each rule is looked up on the disk in each root, and nobody else is served meanwhile. */
const MOST_PLACES = 4096;

function refuseTooMany({ profile, workspaceRoots, policyContext }: ExecContext): void {
  const roots = (policyContext ?? { workspaceRoots }).workspaceRoots.length;
  const isRestricted = profile.type === "managed" && profile.fileSystem.type === "restricted";
  const entries = isRestricted ? profile.fileSystem.entries : [];
  const inRoots = entries.filter(({ target }) => target.type === "workspaceRoots").length;
  const places = entries.length - inRoots + roots * (1 + inRoots);
  if (places <= MOST_PLACES) return;
  throw new ExecError(
    "invalidRequest",
    `Cannot bind the sandbox: its rules name ${places} places, expected at most ${MOST_PLACES}`,
    { field: "sandbox" },
  );
}
