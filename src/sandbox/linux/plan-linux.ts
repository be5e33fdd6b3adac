/**
 * Linux: a bound profile and a command become one bubblewrap invocation.
 *
 * Pure: the same request and host give the same plan on any operating system.
 * What the host can do and what lies on its disk are facts handed in.
 */
import { type AbsolutePath, accessTo, type BoundProfile } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { resolvePath } from "../files/resolve-path.ts";
import type { LaunchPlan, LaunchRequest } from "../launch-plan.ts";
import { SandboxError } from "../sandbox-error.ts";
import { type Mount, mountFlags } from "./mount.ts";
import { planMounts } from "./plan-mounts.ts";
import { assemble } from "./seccomp/assemble.ts";
import { filterFor } from "./seccomp/filter-for.ts";
import type { LinuxArch } from "./seccomp/seccomp-abi.ts";

export interface LinuxHost {
  /** An absolute path that was probed: not setuid, not below anything a command can write. */
  readonly bwrap: string;
  readonly arch: LinuxArch;
  readonly files: FileFacts;
}

/** Private to the command: users, processes, IPC, host name, control groups. No capability is left. */
const ISOLATION = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup",
  "--die-with-parent",
  ...["--cap-drop", "ALL"],
];

const SECCOMP_FD = 3;
const STATUS_FD = 4;

/** Plans `request` for bubblewrap. Throws {@link SandboxError} rather than weaken the profile. */
export function planLinux(request: LaunchRequest, host: LinuxHost): LaunchPlan {
  const { profile, command, env, terminal } = request;
  refuseUnenforced(profile);
  const cwd = visibleCwd(request, host.files);
  const offline = profile.network.kind === "restricted";
  const { mounts, placeholders } = planMounts(profile, host.files);
  const filter = filterFor({
    arch: host.arch,
    network: offline ? "off" : "on",
    unixSockets: "none",
  });
  return {
    tier: "namespaces",
    argv: [
      host.bwrap,
      ...ISOLATION,
      // A terminal needs its session for job control; the filter then stops what the session would.
      ...(terminal === "pty" ? [] : ["--new-session"]),
      ...(offline ? ["--unshare-net"] : []),
      ...mounts.flatMap(mountFlags),
      ...["--chdir", cwd],
      ...["--seccomp", String(SECCOMP_FD)],
      ...["--json-status-fd", String(STATUS_FD)],
      "--",
      ...command,
    ],
    cwd,
    env,
    inputs: [assemble(filter)],
    statusFd: STATUS_FD,
    placeholders,
    mountPoints: mounts.flatMap(coveredPath),
  };
}

/** Folders bound open cover nothing; the kernel's own file systems cannot be renamed over. */
function coveredPath(mount: Mount): AbsolutePath[] {
  const covers =
    mount.op === "bindReadOnly" || mount.op === "hideFile" || mount.op === "hideFolder";
  return covers && mount.path !== "/" && mount.path !== "/sys" ? [mount.path] : [];
}

function refuseUnenforced({ enforcement, network, limits }: BoundProfile): void {
  if (enforcement !== "managed") {
    throw new SandboxError(
      "unenforceableRule",
      `Cannot plan a sandbox for an enforcement of "${enforcement}": there is none to build`,
    );
  }
  if (network.kind === "ruled") {
    throw new SandboxError(
      "unenforceableRule",
      "Cannot enforce the network rules: nothing on this host filters by domain, port or socket",
    );
  }
  const [limit] = Object.keys(limits ?? {});
  if (limit !== undefined) {
    throw new SandboxError("unenforceableRule", `Cannot enforce the limit "${limit}" on this host`);
  }
}

/** A command that cannot see its folder would start in `/`, which nobody asked for. */
function visibleCwd({ cwd, profile }: LaunchRequest, files: FileFacts): AbsolutePath {
  const { real, missing } = resolvePath(cwd, files);
  if (missing !== undefined) {
    throw new SandboxError(
      "unenforceableRule",
      `Cannot start in "${cwd}": there is no such folder`,
    );
  }
  if (accessTo(profile, real) === "deny" || accessTo(profile, cwd) === "deny") {
    throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": the policy hides it`);
  }
  return real;
}
