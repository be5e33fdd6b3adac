/**
 * Linux: a bound profile and a command become one bubblewrap invocation.
 *
 * Pure: the same request and host give the same plan on any operating system.
 * What the host can do and what lies on its disk are facts handed in.
 */
import { type AbsolutePath, accessTo, type BoundProfile, isWithin } from "../../policy/index.ts";
import type { HeldNetwork } from "../anchor/held-network.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { resolvePath } from "../files/resolve-path.ts";
import type { Descriptor, LaunchPlan, LaunchRequest } from "../launch-plan.ts";
import { type CoreDumps, WITHOUT_CORE_DUMPS } from "../limits/core-dumps.ts";
import { planLimits } from "../limits/plan-limits.ts";
import type { LimitMeans } from "../limits/probe-limit-means.ts";
import type { OwnPaths } from "../rules/own-paths.ts";
import { SandboxError } from "../sandbox-error.ts";
import { expectedMounts } from "./expected-mounts.ts";
import { launchFilesOf, SESSION, withReads } from "./launch-files.ts";
import { type Mount, mountFlags } from "./mount.ts";
import { type MountPlan, planMounts } from "./plan-mounts.ts";
import { type Launcher, planSpare } from "./plan-spare.ts";
import { assemble } from "./seccomp/assemble.ts";
import { type FilterQuestion, filterFor } from "./seccomp/filter-for.ts";
import type { LinuxArch } from "./seccomp/seccomp-abi.ts";
import { sightsOf } from "./sight.ts";
import { unseenPaths } from "./unseen-paths.ts";
import { OWN_MOUNTS, withLaunchers } from "./with-launchers.ts";

export interface LinuxHost {
  /** An absolute path that was probed: not setuid, not below anything a command can write. */
  readonly bwrap: AbsolutePath;
  readonly arch: LinuxArch;
  readonly files: FileFacts;
  readonly own: OwnPaths;
  readonly uid: number;
  /** What limits can be kept with; nothing when it was not asked because there are none to keep. */
  readonly limitMeans: LimitMeans | undefined;
  /** Whether what the host mounts later would appear in a copy of its mounts. */
  readonly propagation: "private" | "shared";
  /** Whether a crash would leave the command's memory with the host. */
  readonly coreDumps: CoreDumps;
  /** What a terminal's session is started with, for a command that gets one. */
  readonly sessionFiles: readonly AbsolutePath[];
  /** The shell that can wait in a sandbox for its command; nothing where there is none. */
  readonly shell: AbsolutePath | undefined;
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

const FIRST_DESCRIPTOR = 3;

/** Plans `request` for bubblewrap. Throws {@link SandboxError} rather than weaken the profile. */
export function planLinux(request: LaunchRequest, host: LinuxHost): LaunchPlan {
  const { env, terminal } = request;
  refuseUnenforced(request.profile, host);
  const launchFiles = launchFilesOf(request, host.sessionFiles);
  const profile = withReads(request.profile, launchFiles);
  const cwd = visibleCwd(request, host.files);
  const offline = profile.network.kind === "restricted";
  const joined = offline ? request.joins : undefined;
  const unseen = unseenPaths({ profile, uid: host.uid, files: host.files });
  const own = withLaunchers(host.own, host.bwrap, host.files);
  const planned = planMounts(profile, { files: host.files, own, unseen });
  const { mounts, placeholders, absent, fleeting } = planned;
  refuseUnseenFolder(cwd, planned);
  const filter = filterBytes({
    arch: host.arch,
    network: offline ? "off" : "on",
    unixSockets: profile.unixSockets,
  });
  const isolation = [
    ...ISOLATION,
    // A terminal needs its session for job control; the filter then stops what the session would.
    ...(terminal === "pty" ? [] : ["--new-session"]),
    ...(offline && joined === undefined ? ["--unshare-net"] : []),
  ];
  const launcher: Launcher = (first, environment) => {
    const table = new DescriptorTable(first);
    const argv = [
      host.bwrap,
      ...isolation,
      ...mounts.flatMap((mount) => mountFlags(mount, (path) => table.add({ kind: "path", path }))),
      ...["--chdir", cwd],
      // Not the launcher's own: what a variable loads or redirects must not happen outside the sandbox.
      ...["--args", String(table.add({ kind: "arguments", words: environment }))],
      // Made to be waited on; here it says that there is nothing left to build but the filter.
      ...["--block-fd", String(table.add({ kind: "built" }))],
      // bubblewrap loads the filter when all else is done, and fails if it is empty: it is the gate.
      ...["--seccomp", String(table.add({ kind: "gate", bytes: filter }))],
      ...["--json-status-fd", String(table.add({ kind: "status" }))],
      "--",
    ] as const;
    return { argv, descriptors: table.all };
  };
  const environment = environmentFlags(env);
  const inputs = (request.inputs ?? []).map((bytes) => ({ kind: "input" as const, bytes }));
  const { argv, descriptors } = launcher(inputs, environment);
  const session = terminal === "pty" ? SESSION : [];
  const words: LaunchPlan["argv"] = [...argv, ...session, ...request.command];
  refuseTooMany(words.length + environment.length, request);
  const plan: LaunchPlan = {
    tier: "namespaces",
    prefix: prefixOf(host, joined),
    argv: words,
    cwd,
    env: {},
    terminal,
    descriptors,
    placeholders,
    watched: [...mounts.flatMap(coveredPath), ...absent],
    fleeting,
    expectedMounts: expectedMounts(mounts, request.overlays ?? []),
    ...foundFor(profile, host.files),
    ...(joined && { expectedNetwork: joined.identity }),
    launchFiles,
    limits: host.limitMeans && planLimits(profile.limits, host.limitMeans),
  };
  const spare = planSpare(plan, { request, launcher, mounts, shell: host.shell });
  return spare === undefined ? plan : { ...plan, spare };
}

function foundFor({ files: rules }: BoundProfile, files: FileFacts): Pick<LaunchPlan, "found"> {
  const globs = rules.type === "restricted" ? rules.globs : [];
  return globs.length === 0 ? {} : { found: { globs, matches: files.matchesOf(globs) } };
}

/** Mounts of its own come last: who has left for another user namespace may not enter a third one. */
function prefixOf({ coreDumps, propagation }: LinuxHost, joined: HeldNetwork | undefined) {
  return [
    ...(coreDumps === "none" ? [] : WITHOUT_CORE_DUMPS),
    ...(joined === undefined ? [] : enter(joined)),
    ...(propagation === "shared" ? OWN_MOUNTS : []),
  ];
}

function enter({ nsenter, user, network }: HeldNetwork): string[] {
  return [nsenter, `--user=${user}`, `--net=${network}`, "--preserve-credentials", "--"];
}

const filters = new Map<string, Uint8Array>();

/** Assembled once: there are few of them. */
function filterBytes(question: FilterQuestion): Uint8Array {
  const key = Object.values(question).join();
  const bytes = filters.get(key) ?? assemble(filterFor(question));
  filters.set(key, bytes);
  return bytes;
}

/** What bubblewrap counts to; it would refuse more in words that name no cause. */
const MOST_ARGUMENTS = 9000;

function refuseTooMany(count: number, { command }: LaunchRequest): void {
  if (count <= MOST_ARGUMENTS) return;
  const most = MOST_ARGUMENTS - (count - command.length);
  throw new SandboxError(
    "unenforceableRule",
    `Cannot start "${command[0]}": it has ${command.length - 1} arguments, expected at most ${Math.max(0, most - 1)} in this sandbox`,
  );
}

function environmentFlags(env: LaunchRequest["env"]): string[] {
  const set = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
  return ["--clearenv", ...set];
}

class DescriptorTable {
  readonly all: Descriptor[];

  /** What comes first is for the command, from 3 on; what follows is the launcher's and closed by it. */
  constructor(first: readonly Descriptor[]) {
    this.all = [...first];
  }

  add(one: Descriptor): number {
    return FIRST_DESCRIPTOR + this.all.push(one) - 1;
  }
}

/** Folders bound open cover nothing; the kernel's own file systems cannot be renamed over. */
function coveredPath(mount: Mount): AbsolutePath[] {
  const covers =
    mount.op === "bindReadOnly" || mount.op === "hideFile" || mount.op === "hideFolder";
  return covers && mount.path !== "/" && mount.path !== "/sys" ? [mount.path] : [];
}

function refuseUnenforced(
  { enforcement, network, limits }: BoundProfile,
  { limitMeans }: LinuxHost,
): void {
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
  if (limit !== undefined && limitMeans === undefined) {
    throw new SandboxError("unenforceableRule", `Cannot enforce the limit "${limit}" on this host`);
  }
}

/** A command that cannot see its folder would start in `/`, which nobody asked for. */
function visibleCwd({ cwd, profile }: LaunchRequest, files: FileFacts): AbsolutePath {
  const { real, missing } = resolvePath(cwd, files);
  const kind = missing === undefined ? files.kindOf(real) : "missing";
  if (kind !== "directory") {
    const found = kind === "missing" ? "there is no such folder" : "it is not a folder";
    throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": ${found}`);
  }
  if (accessTo(profile, real) === "deny" || accessTo(profile, cwd) === "deny") {
    throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": the policy hides it`);
  }
  const closed = files.closedTo(real);
  if (closed !== undefined) {
    const why = `commands of this user may not enter "${closed}"`;
    throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": ${why}`);
  }
  const globs = profile.files.type === "restricted" ? profile.files.globs : [];
  // What a pattern matches by its name may be a link that leads here.
  const match = files.matchesOf(globs).find(({ path }) => isWithin(real, path));
  if (match !== undefined) {
    const why = `${match.rule.rule} matches a link to "${match.path}", which is hidden`;
    throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": ${why}`);
  }
  return real;
}

/** What is hidden whatever the policy says, so that asking the policy is not enough. */
function refuseUnseenFolder(cwd: AbsolutePath, { mounts, view }: MountPlan): void {
  const isOwn = accessTo(view, cwd) === "deny";
  if (!isOwn && sightsOf(mounts)(cwd).kind !== "hidden") return;
  const whose = isOwn ? "it is writ's own" : "it is one of the kernel's or of daemons";
  const what = `${whose}, which no command sees, expected another folder`;
  throw new SandboxError("unenforceableRule", `Cannot start in "${cwd}": ${what}`);
}
