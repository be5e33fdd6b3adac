/**
 * macOS: a bound profile and a command become one `sandbox-exec` invocation.
 *
 * Pure: it plans on any operating system and runs on one. What the host has on
 * its disk is a fact handed in.
 */
import { type AbsolutePath, accessTo, type BoundProfile } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { resolvePath } from "../files/resolve-path.ts";
import type { LaunchPlan, LaunchRequest } from "../launch-plan.ts";
import { NO_MOUNTS } from "../no-mounts.ts";
import type { OwnPaths } from "../rules/own-paths.ts";
import { realRules } from "../rules/real-rules.ts";
import { SandboxError } from "../sandbox-error.ts";
import { planPolicy } from "./plan-policy.ts";
import { refuseUnkept } from "./refuse-unkept.ts";

export interface MacosHost {
  readonly files: FileFacts;
  readonly own: OwnPaths;
}

/** Never looked up: a program on the PATH must not become the thing that confines it. */
const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** Plans `request` for Seatbelt. Throws {@link SandboxError} rather than weaken the profile. */
export function planMacos(request: LaunchRequest, host: MacosHost): LaunchPlan {
  refuseUnkept(request.profile, host.files);
  const real = realRules(request.profile, host.files, host.own);
  const { text, flags } = planPolicy(request, { real, files: host.files });
  return launchPlan(
    request,
    [SANDBOX_EXEC, ...["-p", text], ...flags, "--", ...request.command],
    visibleCwd(request, real.profile, host.files),
  );
}

/** The one place that knows what a plan looks like. */
function launchPlan(
  { env, terminal, inputs = [] }: LaunchRequest,
  argv: LaunchPlan["argv"],
  cwd: AbsolutePath,
): LaunchPlan {
  return {
    tier: "seatbelt",
    prefix: [],
    argv,
    cwd,
    env,
    terminal,
    descriptors: inputs.map((bytes) => ({ kind: "input", bytes })),
    ...NO_MOUNTS,
    limits: undefined,
  };
}

/** A command that cannot see its folder would start where nobody asked for. */
function visibleCwd(
  { cwd, profile }: LaunchRequest,
  real: BoundProfile,
  files: FileFacts,
): AbsolutePath {
  const place = resolvePath(cwd, files).real;
  const kind = files.kindOf(place);
  if (kind !== "directory") {
    const found = kind === "missing" ? "there is no such folder" : "it is not a folder";
    throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": ${found}`);
  }
  // On real paths only the entries decide; patterns are asked by the path as it was given.
  if (accessTo(real, place) !== "deny" && accessTo(profile, cwd) !== "deny") return place;
  throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": the policy hides it`);
}
