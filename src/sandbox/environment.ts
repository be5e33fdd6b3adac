/**
 * Builds the environment of a command from a policy.
 *
 * Nothing is inherited by accident: what a command sees was named by a list, or
 * the whole environment was asked for. Names are compared without case.
 */
import type { BoundProfile } from "../policy/index.ts";

export interface EnvironmentPolicy {
  readonly inherit: "core" | "all" | "none";
  /** Kept besides `inherit`. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

/** What a shell needs to be a shell; no name on it holds a secret. */
const CORE = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
];

/** The environment of the command; `base` is that of the process that starts it. */
export function buildEnvironment(
  policy: EnvironmentPolicy,
  base: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const wanted = namesIn([...(policy.inherit === "core" ? CORE : []), ...policy.include]);
  const unwanted = namesIn(policy.exclude);
  const kept = Object.entries(base).filter(([name]) => {
    const plain = name.toUpperCase();
    return (policy.inherit === "all" || wanted.has(plain)) && !unwanted.has(plain);
  });
  const defined = kept.filter((one): one is [string, string] => one[1] !== undefined);
  return { ...Object.fromEntries(defined), ...policy.set };
}

/** Tells programs what they can know of their sandbox; agents and their tools look for this name. */
export function markEnvironment(
  env: Readonly<Record<string, string>>,
  { enforcement, network }: BoundProfile,
): Readonly<Record<string, string>> {
  const isOffline = enforcement !== "disabled" && network.kind === "restricted";
  return isOffline ? { ...env, CODEX_SANDBOX_NETWORK_DISABLED: "1" } : env;
}

function namesIn(names: readonly string[]): Set<string> {
  return new Set(names.map((name) => name.toUpperCase()));
}
