/**
 * The receipt of a look at a file: kept when the look is over, and before anybody has what was seen.
 *
 * No process runs for a look, so nothing is on record while it lasts. What cannot
 * be kept is not shown.
 */
import {
  boundDigest,
  explain,
  nativeOfUri,
  type PathUri,
  PolicyError,
  parseAbsolutePath,
  profileDigest,
} from "../../policy/index.ts";
import { enforcementOfLook } from "../../sandbox/index.ts";
import { ExecError } from "../exec-error.ts";
import { FileError } from "../files/file-error.ts";
import type { AtPath } from "../files/file-operations.ts";
import type { BoundIntent } from "../intent/bind-intent.ts";
import { intentForReceipt } from "./intent-for-receipt.ts";
import type { LookRecord } from "./look-record.ts";
import { type KnownPolicy, type ReceiptKeeper, RunReceipt } from "./run-receipt.ts";

export interface Look {
  /** What was asked for, in the words of the wire: `fs/readFile`. */
  readonly name: string;
  readonly at: AtPath;
  readonly record: LookRecord;
}

/** Does `work`, which tells under what it is done as soon as it knows, and keeps the receipt of it. */
export async function keepLook<T>(
  look: Look,
  keeper: ReceiptKeeper,
  work: (know: (intent: BoundIntent) => void) => Promise<T>,
): Promise<T> {
  const receipt = new RunReceipt(questionOf(look), keeper);
  let intent: BoundIntent | undefined;
  const know = (bound: BoundIntent) => {
    intent = bound;
  };
  const [looked] = await Promise.allSettled([work(know)]);
  if (looked.status === "fulfilled") end(receipt, intent, []);
  else if (!keepFailure(looked.reason, look, { receipt, intent })) throw looked.reason;
  look.record.kept(receipt.id);
  if (looked.status === "rejected") throw looked.reason;
  return looked.value;
}

interface Looked {
  readonly receipt: RunReceipt;
  /** Nothing where it was refused before it was bound. */
  readonly intent: BoundIntent | undefined;
}

/** False for what is no answer to the look: nobody knows what became of it. */
function keepFailure(error: unknown, { at }: Look, { receipt, intent }: Looked): boolean {
  if (error instanceof FileError && !error.byPolicy) {
    end(receipt, intent, [error.message]);
    return true;
  }
  if (!(error instanceof FileError || error instanceof ExecError)) return false;
  if (intent !== undefined) receipt.hear(knownOf(intent, []));
  receipt.refuse(
    error.code,
    error instanceof FileError ? denialOf(error, at, intent) : error.message,
  );
  return true;
}

/** A look that found nothing is one that failed; what it was told is among its notes. */
function end(receipt: RunReceipt, intent: BoundIntent | undefined, notes: readonly string[]): void {
  if (intent !== undefined) receipt.hear(knownOf(intent, notes));
  receipt.end({ kind: "exited", code: notes.length === 0 ? 0 : 1 });
}

function knownOf({ profile, bound, waiver }: BoundIntent, notes: readonly string[]): KnownPolicy {
  return {
    profileDigest: profileDigest(profile),
    boundDigest: boundDigest(bound),
    ...enforcementOfLook(bound, waiver),
    notes: [...notes],
  };
}

/** With the rule where it denies the path by the name that was given; behind a link it may be another. */
function denialOf(
  { message }: FileError,
  { path }: AtPath,
  intent: BoundIntent | undefined,
): string {
  const at = spelled(path);
  const cannot = `Cannot look at "${at ?? path}": ${message}`;
  if (at === undefined || intent === undefined) return cannot;
  const { access, rule, reason } = explain(intent.bound, parseAbsolutePath(at));
  return access === "deny" ? `${cannot}, denied by ${rule}: ${reason}` : cannot;
}

function questionOf({ name, at: { path, sandbox }, record }: Look) {
  const cwd = sandbox.kind === "enforce" ? sandbox.context.cwd : undefined;
  return {
    command: [name, spelled(path) ?? path],
    cwd: cwd ?? path,
    ids: record.ids,
    intent: intentForReceipt(sandbox),
    look: {},
  };
}

/** Nothing where it cannot be spelled here: the look itself says why. */
function spelled(path: PathUri): string | undefined {
  try {
    return nativeOfUri(path);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}
