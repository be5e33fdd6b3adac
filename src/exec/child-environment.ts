/**
 * The variables of a command: those of the executor that may be inherited, then its own.
 *
 * The rules are those of the wire. Names that hold the executor's own secrets
 * are never handed on, whatever a policy says.
 */
import { ExecError } from "./exec-error.ts";
import type { InheritedVariables } from "./start-request.ts";

const CORE = new Set([
  ...["PATH", "SHELL", "TMPDIR", "TEMP", "TMP", "HOME", "LANG", "LC_ALL", "LC_CTYPE"],
  ...["LOGNAME", "USER"],
]);

const SECRETS = ["*KEY*", "*SECRET*", "*TOKEN*"];

/** What identifies this executor to others is of no use to a command. */
export const OWN_VARIABLES: ReadonlySet<string> = new Set([
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
]);

export interface AskedVariables {
  /** Null: nothing is inherited. */
  readonly envPolicy: InheritedVariables | null;
  readonly env: Readonly<Record<string, string>>;
}

/** The environment of the command; `own` is that of the executor. Throws {@link ExecError}. */
export function childEnvironment(
  { envPolicy, env }: AskedVariables,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const inherited = envPolicy === null ? [] : inheritedOf(envPolicy, own);
  const merged = { ...Object.fromEntries(inherited), ...env };
  return Object.fromEntries(
    Object.entries(merged).filter(([name]) => !OWN_VARIABLES.has(name.toUpperCase())),
  );
}

function inheritedOf(
  { inherit, ignoreDefaultExcludes, exclude, set, includeOnly }: InheritedVariables,
  own: Readonly<Record<string, string | undefined>>,
): [string, string][] {
  const unwanted = matcherOf([...(ignoreDefaultExcludes ? [] : SECRETS), ...exclude]);
  const kept = Object.entries(own).filter((one): one is [string, string] => {
    const [name, value] = one;
    if (value === undefined || inherit === "none" || unwanted(name)) return false;
    return inherit === "all" || CORE.has(name.toUpperCase());
  });
  const all = Object.entries({ ...Object.fromEntries(kept), ...set });
  const wanted = matcherOf(includeOnly);
  return includeOnly.length === 0 ? all : all.filter(([name]) => wanted(name));
}

/** What matching may take. Whoever asks chooses patterns and names, and everybody waits for it. */
const MOST_STEPS = 10_000_000;

/** Whether one of the patterns matches a name: `*` and `?`, without case. Throws past {@link MOST_STEPS}. */
function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.map((pattern) => [...pattern.toUpperCase().replace(/\*+/g, "*")]);
  let left = MOST_STEPS;
  const step = () => {
    left -= 1;
    if (left < 0) throw tooMuch();
  };
  return (name) => {
    const letters = [...name.toUpperCase()];
    return all.some((pattern) => matches(pattern, letters, step));
  };
}

function tooMuch(): ExecError {
  const problem = "matching its patterns takes too long, expected fewer and shorter ones";
  return new ExecError("invalidRequest", `Cannot use "envPolicy": ${problem}`, {
    field: "envPolicy",
  });
}

/** Goes back to the last star only, so that a hostile pattern costs no more than its length times the name's. */
function matches(pattern: readonly string[], name: readonly string[], step: () => void): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    step();
    const wanted = pattern[at];
    if (wanted === "*") {
      star = at;
      from = index;
      at += 1;
    } else if (wanted === "?" || wanted === name[index]) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      at = star + 1;
      from += 1;
      index = from;
    } else return false;
  }
  // Stars in a row count as one.
  return at === pattern.length || (at === pattern.length - 1 && pattern[at] === "*");
}
