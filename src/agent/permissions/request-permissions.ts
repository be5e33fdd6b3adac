/**
 * `request_permissions`: the model asks for more than its policy allows.
 *
 * What could not be granted anyway is refused before anybody is asked. What is
 * granted is what was asked for and given, put under the bounds of the host once
 * more; it holds for every call that comes after this one.
 */
import { type Grant, isEmptyGrant } from "../../policy/index.ts";
import { approvalRules } from "../approvals/approval-rules.ts";
import { visibleText } from "../approvals/visible-text.ts";
import { pathAt } from "../files/path-at.ts";
import type { ToolUse } from "../items/tool-use.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import { startToolUse } from "../tools/start-tool-use.ts";
import type { ToolCall, ToolContext, ToolOutcome } from "../tools/tool.ts";
import { grantText, keptText } from "./grant-text.ts";
import { grantOfInput, type PermissionInput, readPermissionInput } from "./permission-input.ts";
import type { PermissionAnswer } from "./permission-question.ts";
import type { NewGrant, ThreadGrants } from "./thread-grants.ts";

interface Ending {
  readonly status: "completed" | "failed";
  readonly denial: string | null;
  readonly output: string;
  readonly next?: "stop";
}

/** Runs a call of `request_permissions`. */
export async function runRequestPermissions(
  call: ToolCall,
  context: ToolContext,
  grants: ThreadGrants,
): Promise<ToolOutcome> {
  const read = readPermissionInput(call.input);
  if ("refusal" in read) return refuseCall(call, read.refusal, context);
  const begun = context.now();
  const item = startToolUse(call, context);
  const ending = await request(item, read.input, { context, grants });
  const { status, denial, output, next = "goOn" } = ending;
  const durationMs = Math.max(0, context.now() - begun);
  const ended: ToolUse = { ...item, status, denial, durationMs, call: { ...item.call, output } };
  context.port.emit({ kind: "itemCompleted", item: ended, atMs: context.now() });
  return { item: ended, next };
}

interface Place {
  readonly context: ToolContext;
  readonly grants: ThreadGrants;
}

async function request(item: ToolUse, input: PermissionInput, place: Place): Promise<Ending> {
  try {
    const asked = await askable(input, place.context);
    if (!("network" in asked)) return asked;
    // Before anybody is asked: another machine may have its name when they answer.
    const { frame, port } = place.context;
    const machine = await orAborted(place.grants.machineOf(frame), port.signal);
    if (machine === ABORTED) return STOPPED;
    const answer = await answerTo({ item, input, asked }, place.context);
    return "status" in answer ? answer : await take({ asked, machine }, answer, place);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** What there is to ask for; otherwise how the call ended without a question. */
async function askable(input: PermissionInput, { frame, port }: ToolContext) {
  const ruling = approvalRules.judgePermissions(frame);
  if (ruling !== undefined) return failed(ruling);
  const wanted = grantOfInput(input, frame);
  if (isEmptyGrant(wanted)) return failed(NOTHING_ASKED);
  const { granted, kept } = await port.grant({ frame, asked: wanted, given: wanted });
  if (kept.length > 0) return failed(keptText(kept));
  return isEmptyGrant(granted) ? ALLOWED : granted;
}

const NOTHING_ASKED =
  'Cannot ask for permissions: there are none in the call, expected "network" or paths in "file_system"';
const ALLOWED: Ending = {
  ...{ status: "completed", denial: null },
  output: "Nothing had to be granted: the policy allows all of it.",
};
const STOPPED: Ending = { ...failed("The turn was stopped"), next: "stop" };

async function answerTo(
  { item, input, asked }: { readonly item: ToolUse; input: PermissionInput; asked: Grant },
  { frame, port }: ToolContext,
): Promise<PermissionAnswer | Ending> {
  if (port.signal.aborted) return STOPPED;
  const reason = input.reason ? visibleText(input.reason) : null;
  const question = { itemId: item.id, cwd: visibleText(pathAt(".", frame)), reason, asked };
  const answer = await orAborted(
    port.askPermissions(question).catch(() => undefined),
    port.signal,
  );
  if (answer === ABORTED || port.signal.aborted) return STOPPED;
  return answer ?? failed("Nothing was granted: nobody gave an answer that can be read");
}

async function take(
  { asked, machine }: { readonly asked: Grant; readonly machine: NewGrant["machine"] },
  { given, scope }: PermissionAnswer,
  { context: { frame, port }, grants }: Place,
): Promise<Ending> {
  const { profile, granted } = await port.grant({ frame, asked, given });
  if (port.signal.aborted) return STOPPED;
  if (isEmptyGrant(granted)) return failed("Nothing was granted: the user did not allow it");
  grants.hold({ grant: granted, scope, profile, machine });
  const output = grantText({ asked, granted, scope, profile });
  return { status: "completed", denial: null, output };
}

function failed(denial: string): Ending {
  return { status: "failed", denial, output: denial };
}
