/**
 * Why a file was not read or written, for the model and for people.
 *
 * The machine of the files decides; here its answer is only put into words. The
 * rule is named where the policy explains the answer by itself.
 */
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

/** What came in the way of an attempt; with the rule where the policy did. */
export function denialSentence(error: unknown, attempt: FileAttempt): string {
  if (!isForbidden(error)) return toldFailure(error).message;
  const { verb, path } = attempt;
  const rule = ruleAgainst(attempt);
  const why =
    rule === undefined
      ? "the policy or the rights of the user do not allow it"
      : `the policy denies it (rule: ${rule})`;
  const expected = `a path that it opens for ${verb === "read" ? "reading" : "writing"}`;
  return `Cannot ${verb} "${path}": ${why}, expected ${expected}, or a policy that opens this one`;
}

/** The rule of the policy as it is written; nothing where it does not say so by itself. */
function ruleAgainst({ verb, path, frame }: FileAttempt): string | undefined {
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
    const { access, rule } = explain(bound, parseAbsolutePath(path));
    const isOpen = access === "write" || access === verb;
    return isOpen ? undefined : rule;
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}
