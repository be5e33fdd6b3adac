import { z } from "zod";
import {
  type ExecContext,
  type PathUri,
  PolicyError,
  readExecContext,
  StraightUri,
} from "../../policy/index.ts";
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
    const { unturned, ...rest } = withUnturned(sandbox);
    const context = readExecContext(rest.sandbox);
    refuseTooMany(context);
    return { kind: "enforce", context, ...(unturned && { unturned }) };
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new ExecError("invalidRequest", cause.message, { cause, field: "sandbox" });
  }
}

/** Each rule is looked up on the disk in each root, and nobody else is served meanwhile. */
const MOST_PLACES = 4096;
const Unturned = z.array(StraightUri).max(MOST_PLACES);

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

/** Beside the context that others know: places that were agreed to by name. It only ever narrows. */
function withUnturned(sandbox: unknown): { sandbox: unknown; unturned?: readonly PathUri[] } {
  if (typeof sandbox !== "object" || sandbox === null || !("unturned" in sandbox)) {
    return { sandbox };
  }
  const { unturned, ...rest } = sandbox;
  const read = Unturned.safeParse(unturned);
  if (read.success) return { sandbox: rest, unturned: read.data };
  throw new ExecError(
    "invalidRequest",
    'Cannot read "sandbox.unturned": expected a list of paths as URIs',
    { field: "sandbox.unturned" },
  );
}
