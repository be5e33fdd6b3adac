import {
  type AbsolutePath,
  type GlobRule,
  type GlobSegment,
  isWithin,
  parseGlob,
} from "../../../policy/index.ts";
import { isCommandsOwn } from "../../files/is-commands-own.ts";
import type { RealRule } from "../../rules/real-rules.ts";
import { SandboxError } from "../../sandbox-error.ts";

/** The command has a /proc and a /dev of its own, and the host's must not come in their place. */
export function refuseKernelPath({ path, access, rule }: RealRule): void {
  const host = isCommandsOwn(path) || path.startsWith("/dev/shm/");
  if (host || (access === "write" && /^\/sys(\/|$)/.test(path))) throw refusal(rule, path);
}

/** A pattern that is written for them; what any other matches there is passed over. */
export function refuseKernelPatterns(globs: readonly GlobRule[]): void {
  for (const { pattern, rule } of globs) {
    if (parseGlob(pattern).some(beginsInKernel)) throw refusal(rule, pattern);
  }
}

/** No pattern is looked for where the host has one of its file systems besides: all of that is hidden, but for what a rule opens. */
export function refuseUnsearched(
  rules: readonly RealRule[],
  [glob]: readonly GlobRule[],
  unsearched: readonly AbsolutePath[],
): void {
  const opened = rules.find(
    ({ path, access, isName }) =>
      access !== "deny" && !isName && unsearched.some((one) => isWithin(path, one)),
  );
  if (glob === undefined || opened === undefined) return;
  throw new SandboxError(
    "unenforceableRule",
    `Cannot enforce ${glob.rule}: ${opened.rule} opens "${opened.path}" in a file system of the kernel, where no pattern is looked for`,
  );
}

function beginsInKernel([first, second]: readonly GlobSegment[]): boolean {
  if (first?.kind !== "literal") return false;
  const below = second?.kind === "literal" ? `/${second.name}` : "";
  return isCommandsOwn(`/${first.name}${below}`);
}

function refusal(rule: string, path: string): SandboxError {
  return new SandboxError(
    "unenforceableRule",
    `Cannot enforce ${rule}: "${path}" belongs to the kernel and is the command's own`,
  );
}
