/**
 * Picks how this host confines a command: the one place where "cannot" becomes "does not run".
 *
 * A policy that waives the sandbox is its own case and says so in the plan, and
 * so is one whose sandbox the operator of this host vouches for; every other
 * command gets the strongest back-end there is, or none at all and an error
 * with the missing part and the shortest way to it.
 */
import fs from "node:fs";
import { realFileFacts } from "./files/file-facts.ts";
import type { LaunchPlan, LaunchRequest } from "./launch-plan.ts";
import type { OwnPaths } from "./linux/own-paths.ts";
import { type LinuxHost, planLinux } from "./linux/plan-linux.ts";
import { readMountTable } from "./linux/read-mount-table.ts";
import { locateBubblewrap } from "./probe/locate-bubblewrap.ts";
import type { Primitive } from "./probe/primitive.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Plans a request for this host. Throws {@link SandboxError} when it cannot be enforced here. */
export function planOnHost(request: LaunchRequest, own: OwnPaths): LaunchPlan {
  const { enforcement } = request.profile;
  if (enforcement !== "managed") {
    return unconfined(request, enforcement === "external" ? "external" : "none");
  }
  if (process.platform !== "linux") {
    throw new SandboxError(
      "unsupportedHost",
      `Cannot start "${request.command[0]}": there is no sandbox for ${process.platform}`,
    );
  }
  const files = realFileFacts();
  return planLinux(request, { ...backEnd(request), own, files, propagation: propagation() });
}

function unconfined(
  { command, cwd, env, terminal }: LaunchRequest,
  tier: "external" | "none",
): LaunchPlan {
  return {
    tier,
    prefix: [],
    argv: command,
    cwd,
    env,
    terminal,
    descriptors: [],
    placeholders: [],
    watched: [],
    expectedMounts: [],
  };
}

/** Found, not probed: a host that cannot build the sandbox says so when it is built, and nothing runs. */
function backEnd({ command }: LaunchRequest): Pick<LinuxHost, "bwrap" | "arch"> {
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

let known: LinuxHost["propagation"] | undefined;

/** Asked once: a sandbox that follows the host's mounts after all is noticed before its command runs. */
function propagation(): LinuxHost["propagation"] {
  known ??= readMountTable(fs.readFileSync("/proc/self/mountinfo", "utf8")).some(
    ({ follows }) => follows,
  )
    ? "shared"
    : "private";
  return known;
}

/** What a missing primitive means for a command, with the shortest way to it. */
export function lackOf({ name, detail, fix }: Primitive): string {
  return `this host has no ${name} (${detail})${fix === undefined ? "" : `. Run: ${fix}`}`;
}
