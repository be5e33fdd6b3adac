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
import { type HostFacts, probeHost } from "./probe-host.ts";
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
  const { bwrap, arch } = usable(probeHost(), request);
  return planLinux(request, { bwrap, arch, files: realFileFacts() });
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

function usable({ bwrap, arch, primitives }: HostFacts, { command }: LaunchRequest) {
  const missing = primitives.find(({ present }) => !present);
  if (missing !== undefined || bwrap === undefined) {
    const { name, detail, fix } = missing ?? {
      name: "bubblewrap",
      detail: "not found",
      fix: undefined,
    };
    const hint = fix === undefined ? "" : `. Run: ${fix}`;
    throw new SandboxError(
      "unsupportedHost",
      `Cannot start "${command[0]}": this host has no ${name} (${detail})${hint}`,
    );
  }
  if (arch === "x64" || arch === "arm64") return { bwrap, arch } as const;
  throw new SandboxError(
    "unsupportedHost",
    `Cannot start "${command[0]}": there is no system call filter for ${arch}`,
  );
}
