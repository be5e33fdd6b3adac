/**
 * Why a file was not read or written, for the model and for people.
 *
 * The machine of the files decides; here its answer is only put into words. The
 * rule is named where the policy explains the answer by itself.
 */
import { smallestChange } from "../../exec/index.ts";
import {
  bindProfile,
  explain,
  hostPathOfUri,
  PolicyError,
  PROTECTED_NAMES,
  parseAbsolutePath,
} from "../../policy/index.ts";
import { SessionError } from "../../session/index.ts";
import { toldFailure } from "../sandbox/told-failure.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { whatWouldOpen } from "../what-would-open.ts";

export interface FileAttempt {
  readonly verb: "read" | "write";
  /** As the machine of the files names it. */
  readonly path: string;
  readonly frame: TurnFrame;
}

/** Whether the policy, or the rights of the user, are in the way. */
export function isForbidden(error: unknown): boolean {
  return error instanceof SessionError && error.code === "forbidden";
}

/** What came in the way of an attempt; with the rule, and what would open it, where the policy did. */
export function denialSentence(error: unknown, attempt: FileAttempt): string {
  if (!isForbidden(error)) return toldFailure(error).message;
  const { verb, path } = attempt;
  const cannot = `Cannot ${verb} "${path}"`;
  const expected = `expected a path that it opens for ${verb === "read" ? "reading" : "writing"}`;
  const against = ruleAgainst(attempt);
  if (against === "unknown") {
    return `${cannot}: the policy or the rights of the user do not allow it, ${expected}`;
  }
  if (against === "none") return `${cannot}: ${NO_RULE}, expected another path`;
  const { rule, change } = against;
  const why = `the policy denies it (rule: ${rule})`;
  return `${cannot}: ${why}, ${expected}, or a policy that opens this one. ${whatWouldOpen([change])}`;
}

/** What the machine adds to every policy. */
const NO_RULE =
  "no rule of the policy is in the way, but the rights of the user, or a place that no policy opens: what is writ's own, /proc, /dev";

/** The rule that denies a path, and what would open it, to be put behind a sentence; empty where there is none. */
export function ruleNote(attempt: FileAttempt): string {
  const against = ruleAgainst(attempt);
  if (typeof against === "string") return "";
  return ` (rule: ${against.rule}). ${whatWouldOpen([against.change])}`;
}

type Change = ReturnType<typeof smallestChange>;

interface Against {
  readonly rule: string;
  readonly change: Change;
}

/** The rule of the policy as it is written; that there is none, or that nobody here can tell. */
function ruleAgainst({ verb, path, frame }: FileAttempt): Against | "none" | "unknown" {
  const { profile, cwd, workspaceRoots } = frame;
  try {
    const bound = bindProfile(profile, {
      system: "linux",
      cwd: hostPathOfUri(cwd, "linux"),
      workspaceRoots: workspaceRoots.map((root) => hostPathOfUri(root, "linux")),
      tmpdir: undefined,
      slashTmp: parseAbsolutePath("/tmp"),
      platformDefaults: [],
      protectedNames: PROTECTED_NAMES,
      externalSandbox: "absent",
    });
    const at = parseAbsolutePath(path);
    const { access, rule } = explain(bound, at);
    if (access === "write" || access === verb) return "none";
    // What a ceiling forbids besides, only the machine of the files knows.
    return { rule, change: smallestChange({ profile: bound, ceiling: undefined }, at, verb) };
  } catch (error) {
    if (error instanceof PolicyError) return "unknown";
    throw error;
  }
}
