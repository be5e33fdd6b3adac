/**
 * Picks how this host confines a command: the one place where "cannot" becomes "does not run".
 *
 * A policy that waives the sandbox is its own case and says so in the plan;
 * every other command gets the strongest back-end there is, or none at all and
 * an error with the missing part and the shortest way to it.
 */
import { realFileFacts } from "./files/file-facts.ts";
import type { LaunchPlan, LaunchRequest } from "./launch-plan.ts";
import { planLinux } from "./linux/plan-linux.ts";
import { locateBubblewrap, type Primitive } from "./probe-host.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Plans a request for this host. Throws {@link SandboxError} when it cannot be enforced here. */
export function planOnHost(request: LaunchRequest): LaunchPlan {
  if (request.profile.enforcement === "disabled") return waived(request);
  if (process.platform !== "linux") {
    throw new SandboxError(
      "unsupportedHost",
      `Cannot start "${request.command[0]}": there is no sandbox for ${process.platform}`,
    );
  }
  return planLinux(request, { ...backEnd(request), files: realFileFacts() });
}

function waived({ command, cwd, env }: LaunchRequest): LaunchPlan {
  return {
    tier: "none",
    argv: command,
    cwd,
    env,
    inputs: [],
    statusFd: undefined,
    placeholders: [],
    mountPoints: [],
  };
}

/** Found, not probed: a host that cannot build the sandbox says so when it is built, and nothing runs. */
function backEnd({ command }: LaunchRequest): { bwrap: string; arch: "x64" | "arm64" } {
  const { path: bwrap, primitive } = locateBubblewrap();
  if (bwrap === undefined) {
    throw new SandboxError("unsupportedHost", `Cannot start "${command[0]}": ${lackOf(primitive)}`);
  }
  const { arch } = process;
  if (arch === "x64" || arch === "arm64") return { bwrap, arch };
  throw new SandboxError(
    "unsupportedHost",
    `Cannot start "${command[0]}": there is no system call filter for ${arch}`,
  );
}

/** What a missing primitive means for a command, with the shortest way to it. */
export function lackOf({ name, detail, fix }: Primitive): string {
  return `this host has no ${name} (${detail})${fix === undefined ? "" : `. Run: ${fix}`}`;
}
