/** How the sandbox of a plan is built before its command is known: the same, around a shell that waits for it. */
import { type AbsolutePath, accessTo, isWithin } from "../../policy/index.ts";
import type { Descriptor, LaunchPlan, LaunchRequest } from "../launch-plan.ts";
import type { Mount } from "./mount.ts";
import { ORDER_DESCRIPTOR, orderFor } from "./order-for.ts";

/** All of a plan that comes before its command: the flags, and the descriptors that they name. */
export type Launcher = (
  /** What the command finds from 3 on. */
  first: readonly Descriptor[],
  /** The flags that set its variables. */
  environment: readonly string[],
) => {
  readonly argv: readonly [string, ...string[]];
  readonly descriptors: readonly Descriptor[];
};

export interface SpareQuestion {
  readonly request: LaunchRequest;
  readonly launcher: Launcher;
  readonly mounts: readonly Mount[];
  readonly shell: AbsolutePath | undefined;
}

/** Nothing where the command cannot be told later, or the shell might not start where it is. */
export function planSpare(plan: LaunchPlan, question: SpareQuestion): LaunchPlan["spare"] {
  const { request, launcher, mounts, shell } = question;
  const isPlain = plan.terminal === "none" && plan.limits === undefined && !request.inputs?.length;
  // One that commands may replace would be told the next command of somebody else.
  const isTheirs = shell === undefined || accessTo(request.profile, shell) !== "read";
  if (!isPlain || isTheirs || !mounts.some(showsAll) || mounts.some(hidesPrograms)) {
    return undefined;
  }
  const order = orderFor({ command: request.command, env: request.env, cwd: plan.cwd });
  if (order === undefined) return undefined;
  const { argv, descriptors } = launcher([{ kind: "order" }], ["--clearenv"]);
  const shellWords = [shell, `/proc/self/fd/${ORDER_DESCRIPTOR}`];
  return { plan: { ...plan, argv: [...argv, ...shellWords], descriptors }, order };
}

/** Where a shell and what it loads may lie. */
const PROGRAMS = ["/bin", "/lib", "/lib32", "/lib64", "/usr"] as AbsolutePath[];

function showsAll(mount: Mount): boolean {
  return (mount.op === "bind" || mount.op === "bindReadOnly") && mount.path === "/";
}

function hidesPrograms(mount: Mount): boolean {
  if (mount.op === "emptyRoot") return true;
  if (mount.op !== "hideFile" && mount.op !== "hideFolder") return false;
  return PROGRAMS.some((folder) => isWithin(mount.path, folder) || isWithin(folder, mount.path));
}
