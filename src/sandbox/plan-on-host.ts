/**
 * Picks how this host confines a command: the one place where "cannot" becomes "does not run".
 *
 * A policy that waives the sandbox is its own case and says so in the plan, and
 * so is one whose sandbox the operator of this host vouches for; every other
 * command gets the strongest back-end there is, or none at all and an error
 * with the missing part and the shortest way to it.
 */
import fs from "node:fs";
import { accessTo, parseAbsolutePath } from "../policy/index.ts";
import { markEnvironment } from "./environment.ts";
import { findDenied, realFileFacts } from "./files/file-facts.ts";
import type { LaunchPlan, LaunchRequest } from "./launch-plan.ts";
import { probeCoreDumps } from "./limits/core-dumps.ts";
import { planLimits } from "./limits/plan-limits.ts";
import { probeLimitMeans } from "./limits/probe-limit-means.ts";
import { SESSION } from "./linux/launch-files.ts";
import { readMountTable } from "./linux/mount-table/read-mount-table.ts";
import { type LinuxHost, planLinux } from "./linux/plan-linux.ts";
import { NO_MOUNTS } from "./no-mounts.ts";
import { locateBubblewrap } from "./probe/locate-bubblewrap.ts";
import { locateShell } from "./probe/locate-shell.ts";
import type { Primitive } from "./probe/primitive.ts";
import { probeSessionFiles } from "./probe/probe-session-files.ts";
import { refuseUnpassable } from "./refuse-unpassable.ts";
import type { OwnPaths } from "./rules/own-paths.ts";
import { refuseUnconfined, refuseWider } from "./rules/real-widening.ts";
import { refuseTurned } from "./rules/refuse-turned.ts";
import { SandboxError } from "./sandbox-error.ts";
import { refuseWindows } from "./windows/refuse-windows.ts";

/** Plans a request for this host. Throws {@link SandboxError} when it cannot be enforced here. */
export async function planOnHost(asked: LaunchRequest, own: OwnPaths): Promise<LaunchPlan> {
  refuseUnpassable(asked);
  const request = { ...asked, env: markEnvironment(asked.env, asked.profile) };
  const { enforcement } = request.profile;
  if (enforcement !== "managed") {
    refuseUnconfined(request.profile, request.within);
    return unconfined(request, enforcement === "external" ? "external" : "none");
  }
  const { files: rules } = request.profile;
  const files = realFileFacts(await findDenied(rules.type === "restricted" ? rules.globs : []));
  refuseTurned(request.seen ?? [], files);
  refuseWider(request.profile, request.within, { files, own });
  switch (process.platform) {
    case "linux":
      return planLinux(request, { ...linuxFacts(request), own, files });
    case "darwin": {
      const { planMacos } = await import("./macos/plan-macos.ts");
      return planMacos(request, { own, files });
    }
    case "win32":
      throw refuseWindows(request, undefined);
    default:
      throw new SandboxError(
        "unsupportedHost",
        `Cannot start "${request.command[0]}": there is no sandbox for ${process.platform}`,
      );
  }
}

function linuxFacts(request: LaunchRequest): Omit<LinuxHost, "own" | "files"> {
  return {
    ...backEnd(request),
    uid: process.getuid?.() ?? 0,
    limitMeans: request.profile.limits && probeLimitMeans(),
    propagation: propagation(),
    coreDumps: probeCoreDumps(),
    sessionFiles: sessionFiles(request),
    shell: locateShell(),
  };
}

/** Asked only where the policy does not show the program: it takes starting another one. */
function sessionFiles({ terminal, profile }: LaunchRequest): LinuxHost["sessionFiles"] {
  const isNeeded = terminal === "pty" && accessTo(profile, SESSION[0]) === "deny";
  return isNeeded ? probeSessionFiles() : [];
}

/** Only what writ itself counts can be limited where there is no sandbox to put a limit on. */
const WITHOUT_SANDBOX = ["wallTimeMs", "outputBytes"];

function unconfined(
  { command, cwd, env, terminal, inputs = [], profile: { limits } }: LaunchRequest,
  tier: "external" | "none",
): LaunchPlan {
  const unkept = Object.keys(limits ?? {}).find((name) => !WITHOUT_SANDBOX.includes(name));
  if (unkept !== undefined) {
    throw new SandboxError(
      "unenforceableRule",
      `Cannot enforce the limit "${unkept}": the policy has no sandbox that it could hold for`,
    );
  }
  if (!fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SandboxError(
      "unenforceableRule",
      `Cannot start in "${cwd}": there is no such folder`,
    );
  }
  return {
    tier,
    prefix: terminal === "pty" ? SESSION : [],
    argv: command,
    cwd,
    env,
    terminal,
    descriptors: inputs.map((bytes) => ({ kind: "input", bytes })),
    ...NO_MOUNTS,
    limits: limits && planLimits(limits, probeLimitMeans()),
  };
}

/** Found, not probed: a host that cannot build the sandbox says so when it is built, and nothing runs. */
function backEnd({ command }: LaunchRequest): Pick<LinuxHost, "bwrap" | "arch"> {
  const { path: bwrap, primitive } = locateBubblewrap();
  if (bwrap === undefined) {
    throw new SandboxError("unsupportedHost", `Cannot start "${command[0]}": ${lackOf(primitive)}`);
  }
  const { arch } = process;
  if (arch === "x64" || arch === "arm64") return { bwrap: parseAbsolutePath(bwrap), arch };
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
  return `this host has no ${name} (${detail})${fix === undefined ? "" : `. Fix: ${fix}`}`;
}
