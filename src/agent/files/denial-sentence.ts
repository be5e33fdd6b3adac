/**
 * Why a file was not read or written, for the model and for people.
 *
 * The machine of the files decides; here its answer is only put into words. The
 * rule is named where the policy explains the answer by itself.
 */
import { PLATFORM_DEFAULTS, smallestChange } from "../../exec/index.ts";
import {
  bindProfile,
  explain,
  hostPathOfUri,
  nativeOfUri,
  type PathUri,
  PolicyError,
  PROTECTED_NAMES,
  parseAbsolutePath,
  uriOfNative,
} from "../../policy/index.ts";
import { SessionError } from "../../session/index.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { placeSeen } from "../sandbox/place-behind.ts";
import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import { toldFailure } from "../sandbox/told-failure.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { whatWouldOpen } from "../what-would-open.ts";

export interface FileAttempt {
  readonly verb: "read" | "write";
  /** As the machine of the files names it. */
  readonly path: string;
  readonly frame: TurnFrame;
  /** What it has to be opened for; what was tried when absent. */
  readonly opens?: "write";
}

/** Where it can be seen what links lead to. */
export interface LinkSight {
  readonly sandbox: ThreadSandbox;
  readonly signal: AbortSignal;
}

/** Whether the policy, or the rights of the user, are in the way. */
export function isForbidden(error: unknown): boolean {
  return error instanceof SessionError && error.code === "forbidden";
}

/** What came in the way of an attempt; with the rule, and what would open it, where the policy did. */
export async function denialSentence(
  error: unknown,
  attempt: FileAttempt,
  sight: LinkSight,
): Promise<string> {
  if (!isForbidden(error)) return toldFailure(error).message;
  const { verb, path, opens = verb } = attempt;
  const cannot = `Cannot ${verb} "${path}"`;
  const expected = `expected a path that it opens for ${opens === "read" ? "reading" : "writing"}`;
  const against = await ruleOnTheWay(attempt, sight);
  if (against === "unknown") {
    return `${cannot}: the policy or the rights of the user do not allow it, ${expected}`;
  }
  if (against === "none") return `${cannot}: ${NO_RULE}, expected another path`;
  const { place, rule, change } = against;
  const denies = `the policy denies it (rule: ${rule})`;
  const why = place === path ? denies : `it leads to "${place}", and ${denies}`;
  return `${cannot}: ${why}, ${expected}, or a policy that opens this one. ${whatWouldOpen([change])}`;
}

/** What the machine adds to every policy, and what cannot be seen from here. */
const NO_RULE =
  "no rule for this path is in the way, but the rights of the user, what a link leads to, or a place that no policy opens: what is writ's own, /proc, /dev";

/** The rule that denies a path, and what would open it, to be put behind a sentence; empty where there is none. */
export function ruleNote(attempt: FileAttempt): string {
  const against = ruleAgainst(attempt);
  if (typeof against === "string") return "";
  return ` (rule: ${against.rule}). ${whatWouldOpen([against.change])}`;
}

type Change = ReturnType<typeof smallestChange>;

interface Against {
  readonly place: string;
  readonly rule: string;
  readonly change: Change;
}

/** The rule against the path as it is named; where there is none, against the place that links lead to. */
async function ruleOnTheWay(attempt: FileAttempt, sight: LinkSight) {
  const named = ruleAgainst(attempt);
  if (named !== "none") return named;
  // Where nobody can look, there is a sentence all the same.
  const looking = behindLinks(attempt, sight).catch((): typeof ABORTED => ABORTED);
  const led = await orAborted(looking, sight.signal);
  return led === ABORTED ? named : ruleAgainst(led);
}

/** Rules hold for real places, also those for the folders of the thread. */
async function behindLinks(attempt: FileAttempt, { sandbox }: LinkSight): Promise<FileAttempt> {
  const { path, frame } = attempt;
  const { files } = await sandbox.executorFor(frame);
  const seen = (uri: PathUri) => placeSeen(uri, frame, files);
  const place = await seen(uriOfNative(path));
  const cwd = await seen(frame.cwd);
  const workspaceRoots = await Promise.all(frame.workspaceRoots.map(seen));
  const there = { ...frame, cwd, workspaceRoots };
  return { ...attempt, path: nativeOfUri(place) ?? path, frame: there };
}

/** The rule of the policy as it is written; that there is none, or that nobody here can tell. */
function ruleAgainst(attempt: FileAttempt): Against | "none" | "unknown" {
  const { verb, path, frame, opens = verb } = attempt;
  const { profile, cwd, workspaceRoots } = frame;
  try {
    const bound = bindProfile(profile, {
      system: "linux",
      cwd: hostPathOfUri(cwd, "linux"),
      workspaceRoots: workspaceRoots.map((root) => hostPathOfUri(root, "linux")),
      tmpdir: undefined,
      slashTmp: parseAbsolutePath("/tmp"),
      platformDefaults: PLATFORM_DEFAULTS.map(parseAbsolutePath),
      protectedNames: PROTECTED_NAMES,
      externalSandbox: "absent",
    });
    const at = parseAbsolutePath(path);
    const { access, rule } = explain(bound, at);
    if (access === "write" || access === verb) return "none";
    // What a ceiling forbids besides, only the machine of the files knows.
    const change = smallestChange({ profile: bound, ceiling: undefined }, at, opens);
    return { place: path, rule, change };
  } catch (error) {
    if (error instanceof PolicyError) return "unknown";
    throw error;
  }
}
