/**
 * Builds the environment of a command from a policy.
 *
 * Nothing is inherited by accident: what a command sees was named by a list, or
 * the whole environment was asked for. Names are compared without case.
 */
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

function namesIn(names: readonly string[]): Set<string> {
  return new Set(names.map((name) => name.toUpperCase()));
}
