/**
 * Where workspace roots may lie, judged by where they lead.
 *
 * A root is a name that a client sends; a command of an earlier run may have
 * left a link there. So it is the real path that is held against the bounds.
 */
import { type AbsolutePath, isWithin } from "../../policy/index.ts";
import { followPath, SandboxError, type SeenPath } from "../../sandbox/index.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { realPathIfKnown } from "./real-path-if-known.ts";

interface RootField {
  readonly field: string;
  /** A folder above that was looked at just now. */
  readonly above?: SeenPath | undefined;
}

/** Throws {@link ExecError} unless this executor allows a workspace at `root`; says where it leads. */
export function refuseRoot(
  root: AbsolutePath,
  { field, above }: RootField,
  host: ExecHost,
): SeenPath[] {
  const { roots } = host.bounds;
  if (roots === "any") return seen(root, field, above);
  const real = realOf(root, field);
  if (roots === "notHome") refuseHome(root, { real, field, host });
  else if (!roots.some((allowed) => isWithin(real, allowed))) {
    const allowed = roots.map((one) => `"${one}"`).join(", ");
    throw refusal(root, { real, field, why: `this executor allows those in ${allowed}` });
  }
  return [{ path: root, real }];
}

/**
 * What a link that leads nowhere means for the rules on it, is for the plan to say: as long as it leads
 * there. What cannot be told, the plan cannot tell either.
 */
function seen(path: AbsolutePath, field: string, above: SeenPath | undefined): SeenPath[] {
  try {
    return [{ path, real: realPathIfKnown(path, above) ?? followPath(path).real }];
  } catch (cause) {
    if (!(cause instanceof SandboxError)) throw cause;
    throw new ExecError("unenforceable", cause.message, { cause, field });
  }
}

/** Whoever grants a workspace does not mean all that this user has; an operator who does says so. */
function refuseHome(
  root: AbsolutePath,
  { real, field, host }: { real: AbsolutePath; field: string; host: ExecHost },
): void {
  if (host.homes.length === 0) {
    const why =
      "it cannot be told where the home folder of this executor is, expected an absolute path in HOME. The operator can allow it as a root";
    throw refusal(root, { real, field, why });
  }
  if (!host.homes.some((home) => isWithin(realOf(home, field), real))) return;
  const why =
    "it is or holds the home folder of this executor, expected a folder of its own. The operator can allow it as a root";
  throw refusal(root, { real, field, why });
}

/** Without links; a link that leads nowhere is no answer. */
function realOf(wanted: AbsolutePath, field: string): AbsolutePath {
  const real = realPathIfKnown(wanted);
  if (real !== undefined) return real;
  const why = "it cannot be told where it leads, expected a folder";
  throw refusal(wanted, { real: wanted, field, why });
}

interface Reason {
  readonly real: AbsolutePath;
  readonly field: string;
  readonly why: string;
}

function refusal(root: AbsolutePath, { real, field, why }: Reason): ExecError {
  const leads = real === root ? "" : `, which leads to "${real}",`;
  return new ExecError("notAllowed", `Cannot use "${root}"${leads} as a workspace root: ${why}`, {
    field,
  });
}
