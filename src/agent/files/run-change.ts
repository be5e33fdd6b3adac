/**
 * `write_file`, `edit_file` and `apply_patch`: what changes files.
 *
 * A change is planned, shown, permitted and then made under the policy of the
 * turn. What the policy does not open is asked about, and then done without the
 * sandbox, or refused. What was planned is made only of files that are still as
 * they were.
 */
import { joinUri } from "../../policy/index.ts";
import type { ThreadSession } from "../../session/index.ts";
import type { ApprovalQuestion } from "../approval.ts";
import { approvalRules, subjectOf } from "../approvals/approval-rules.ts";
import { BOUNDS_UNREAD } from "../approvals/bounds-unread.ts";
import { MACHINE_MOVED } from "../approvals/machine-moved.ts";
import type { FileChange } from "../items/file-change.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { refuseTurned } from "../sandbox/place-behind.ts";
import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import { toldFailure } from "../sandbox/told-failure.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome, Verdict } from "../tools/tool.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { denialSentence, isForbidden } from "./denial-sentence.ts";
import { inRealFolder } from "./in-real-folder.ts";
import { lostAmong } from "./lost-among.ts";
import { pathAt } from "./path-at.ts";
import type { ChangeToolName } from "./plan-change.ts";
import { planInSession } from "./plan-in-session.ts";
import { effectsOf, type PlannedFile, updateOf } from "./planned-file.ts";

interface Change {
  readonly item: FileChange;
  readonly files: readonly PlannedFile[];
  readonly context: ToolContext;
  readonly sandbox: ThreadSandbox;
}

interface Ending {
  readonly status: "completed" | "failed" | "declined";
  readonly receiptId?: string | null | undefined;
  readonly denial: string | null;
  readonly output: string;
  readonly next?: "stop";
}

const REASON = "It changes files that the policy does not open";

/** Runs a call of one of them. */
export async function runChange(
  { call, name }: { readonly call: ToolCall; readonly name: ChangeToolName },
  context: ToolContext,
  sandbox: ThreadSandbox,
): Promise<ToolOutcome> {
  const files = await planInSession({ call, name }, context, sandbox);
  if (typeof files === "string") return refuseCall(call, files, context);
  const change = { item: startItem(call, files, context), files, context, sandbox };
  const ending = (await permit(change, false)) ?? (await make(change));
  return endItem(change, ending);
}

function startItem(
  { callId, name, input }: ToolCall,
  files: readonly PlannedFile[],
  { port, now }: ToolContext,
): FileChange {
  const item: FileChange = {
    ...{ type: "fileChange", id: callId, status: "inProgress" },
    ...{ receiptId: null, denial: null },
    changes: files.map(updateOf),
    call: { name, input, output: null },
  };
  port.emit({ kind: "itemStarted", item, atMs: now() });
  return item;
}

/** Nothing where it may be done; otherwise how the call ended. */
async function permit(change: Change, escalates: boolean): Promise<Ending | undefined> {
  const { context } = change;
  const ruling = approvalRules.judgeFileChange(escalates, context.frame);
  if (ruling.kind === "run") return undefined;
  if (ruling.kind === "refuse") return failed(ruling.message);
  const verdict = await context.ask(questionOf(change, escalates));
  return verdict === "accepted" ? undefined : UNMADE[verdict];
}

/** The change as it may be made beyond the policy, at the places that a person was told of; or how the call ended. */
async function permitBeyond(change: Change): Promise<Change | Ending> {
  const { context, sandbox, files } = change;
  const ruling = approvalRules.judgeFileChange(true, context.frame);
  if (ruling.kind === "refuse") return failed(ruling.message);
  const placing = placed(files, context.frame, sandbox);
  const found = await orAborted(placing, context.port.signal);
  if (typeof found === "string") return failed(found);
  // Nobody is asked in a turn that was stopped.
  const there = found === ABORTED ? change : { ...change, files: found };
  return (await permit(there, true)) ?? there;
}

/** The files at their real places; or why nobody is asked: what they would read is not where it would be. */
async function placed(
  files: readonly PlannedFile[],
  frame: TurnFrame,
  sandbox: ThreadSandbox,
): Promise<readonly PlannedFile[] | string> {
  try {
    const machine = await sandbox.executorFor(frame);
    const there = await inRealFolder(files, frame.cwd, machine.files);
    for (const path of pathsOf(there)) await refuseTurned(joinUri(frame.cwd, path), machine.files);
    return there;
  } catch (error) {
    return toldFailure(error).message;
  }
}

function pathsOf(files: readonly PlannedFile[]): readonly string[] {
  return files.flatMap(({ path, movePath }) => (movePath ? [path, movePath] : [path]));
}

/** Bound to every file, as it is and as it would be. */
function questionOf({ item, files, context }: Change, escalates: boolean): ApprovalQuestion {
  const { frame } = context;
  const paths = pathsOf(files);
  const argv = [item.call.name, ...paths];
  const asked = { kind: "fileChange", argv, cwd: pathAt(".", frame), escalates } as const;
  const contents = files.flatMap(({ before, after }) => [
    before === null ? "absent" : `is ${before.toString("base64")}`,
    after === null ? "absent" : `will be ${after}`,
  ]);
  return {
    ...asked,
    ...{ itemId: item.id, approvalId: null, command: argv.join(" ") },
    reason: escalates ? `${REASON}: ${paths.join(", ")}` : null,
    subject: subjectOf(asked, frame, contents),
  };
}

const failed = (denial: string): Ending => ({
  ...{ status: "failed", denial, output: `Nothing was changed. ${denial}` },
});

const UNMADE: Readonly<Record<Exclude<Verdict, "accepted">, Ending>> = {
  declined: { ...failed("Rejected by the user"), status: "declined" },
  cancelled: {
    ...failed("Rejected by the user, who stopped the turn"),
    ...{ status: "declined", next: "stop" },
  },
  unanswered: failed("Not approved: nobody answered the question"),
  moved: failed(MACHINE_MOVED),
  unbounded: failed(BOUNDS_UNREAD),
};

/** Under the policy; beyond it where a person lets it. */
async function make(change: Change): Promise<Ending> {
  const { sandbox, context } = change;
  const { frame } = context;
  try {
    return await sandbox.use(frame, (session) => write(session, change));
  } catch (error) {
    if (!isForbidden(error) || frame.profile.type === "disabled") return unmade(error, change);
    const stopped = await permitBeyond(change);
    if ("files" in stopped) return makeWaived(stopped);
    const { receiptId, ...tried } = await unmade(error, change);
    const denial = `${tried.denial}. ${stopped.denial}`;
    const what = isSplit(change.files)
      ? "Some files may have been changed"
      : "The files were not changed";
    return { ...stopped, receiptId, denial, output: `${what}. ${denial}` };
  }
}

async function makeWaived(change: Change): Promise<Ending> {
  const { sandbox, context } = change;
  try {
    return await sandbox.useWaived(context.frame, REASON, (session) => write(session, change));
  } catch (error) {
    return unmade(error, change);
  }
}

async function write(session: ThreadSession, change: Change): Promise<Ending> {
  const { item, files, context } = change;
  const { signal } = context.port;
  const read = (path: string) => session.workspace.readFileToBuffer({ path, signal });
  for (const { path, movePath, before, after } of files) {
    const come = after === null ? null : Buffer.from(after);
    const known = [{ at: path, was: before }, ...(movePath ? [{ at: movePath, was: null }] : [])];
    for (const { at, was } of known) {
      const now = await read(at);
      // Of an attempt that came half the way, files may be as they are to be.
      if (isSame(now, was) || isSame(now, come)) continue;
      throw new Error(`Cannot change "${at}": ${otherThan(was)}`);
    }
  }
  const ids = { turn: context.turn, call: item.id };
  const effects = { by: item.call.name, ...effectsOf(files) };
  const { receiptId } = await session.changeFiles({ ...effects, signal, ids });
  const lost = await lostAmong(files, read);
  return lost === undefined ? made(change, receiptId) : aliased(lost, receiptId);
}

/** Where nothing was seen, it may have been hidden by the policy until a person let the change out. */
const otherThan = (was: Buffer | null): string =>
  was === null ? "it was changed meanwhile, or hidden before, expected none there" : CHANGED;
const CHANGED = "it was changed meanwhile, expected it as it was";

function aliased(path: string, receiptId: string | null): Ending {
  const what = "another name of the call leads to the same file, expected each file once";
  const denial = `Cannot keep what was made of "${path}": ${what}`;
  return { status: "failed", receiptId, denial, output: `Some files were changed. ${denial}` };
}

function isSame(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

const SIGNS = { add: "A", delete: "D", update: "M" } as const;

function made({ item }: Change, receiptId: string | null): Ending {
  const lines = item.changes.map(({ path, kind }) => {
    const to = kind.type === "update" && kind.movePath !== null ? ` -> ${kind.movePath}` : "";
    return `${SIGNS[kind.type]} ${path}${to}`;
  });
  const output = `Success. Updated the following files:\n${lines.join("\n")}`;
  return { status: "completed", receiptId, denial: null, output };
}

async function unmade(error: unknown, change: Change): Promise<Ending> {
  const { files, context } = change;
  const denial = await denialOf(error, change);
  const hasParts = isSplit(files) || (files.length > 1 && !isForbidden(error));
  const output = hasParts ? `Some files may have been changed. ${denial}` : denial;
  const { receiptId } = toldFailure(error);
  return {
    status: "failed",
    receiptId,
    denial,
    output,
    ...(context.port.signal.aborted && { next: "stop" }),
  };
}

/** Files are written together and removed after that: between the two a change can stop half the way. */
function isSplit(files: readonly PlannedFile[]): boolean {
  const { write: written, remove } = effectsOf(files);
  return written.length > 0 && remove.length > 0;
}

/** Of several files, the first whose rule says so by itself. */
async function denialOf(error: unknown, { files, context, sandbox }: Change): Promise<string> {
  const { frame, port } = context;
  const sentences: string[] = [];
  for (const path of files.flatMap(({ path, movePath }) =>
    movePath ? [movePath, path] : [path],
  )) {
    const attempt = { verb: "write", path, frame } as const;
    const sentence = await denialSentence(error, attempt, { sandbox, signal: port.signal });
    if (sentence.includes("(rule: ")) return sentence;
    sentences.push(sentence);
  }
  return sentences[0] ?? "";
}

function endItem({ item, context }: Change, ending: Ending): ToolOutcome {
  const { status, receiptId = null, denial, output, next = "goOn" } = ending;
  const call = { ...item.call, output };
  const ended: FileChange = { ...item, status, receiptId, denial, call };
  context.port.emit({ kind: "itemCompleted", item: ended, atMs: context.now() });
  return { item: ended, next };
}
