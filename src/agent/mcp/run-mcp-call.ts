/**
 * One call of the model to a tool of an MCP server.
 *
 * The sandbox that goes with it is that of the turn. Its item is started before
 * anything is asked or sent and completed whatever comes of it.
 */
import { McpError, receiptOfResult } from "../../mcp/index.ts";
import { nativeOfUri } from "../../policy/index.ts";
import { JSON_LIMITS, JsonError, readJson } from "../../rpc/index.ts";
import { subjectOf } from "../approvals/approval-rules.ts";
import { BOUNDS_UNREAD } from "../approvals/bounds-unread.ts";
import { MACHINE_MOVED } from "../approvals/machine-moved.ts";
import { tooLongToAsk } from "../approvals/too-long-to-ask.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome, Verdict } from "../tools/tool.ts";
import type { McpToolCall } from "../turn-item.ts";
import { itemResultOf, modelTextOf } from "./item-result-of.ts";
import { concernOf, judgeTool, type KnownTool } from "./judge-tool.ts";
import type { ThreadServer } from "./thread-server.ts";

/** What is called, looked up when it is. */
export interface McpTarget {
  readonly server: ThreadServer;
  readonly known: KnownTool;
}

type Input = Readonly<Record<string, unknown>>;
type Ending = Pick<McpToolCall, "status" | "result" | "error" | "receiptId"> & {
  readonly output: string;
};

const LIMITS = { ...JSON_LIMITS, maxLength: 4 << 20 };

export async function runMcpCall(
  call: ToolCall,
  target: McpTarget,
  context: ToolContext,
): Promise<ToolOutcome> {
  const read = readInput(call);
  if ("refusal" in read) return refuseCall(call, read.refusal, context);
  const begun = context.now();
  const item = startItem(call, read.input, { target, context });
  const end = (ending: Ending, next: ToolOutcome["next"] = "goOn"): ToolOutcome => {
    const { output, ...members } = ending;
    const durationMs = Math.max(0, context.now() - begun);
    const told = item.call && { ...item.call, output };
    const ended = { ...item, ...members, durationMs, call: told };
    context.port.emit({ kind: "itemCompleted", item: ended, atMs: context.now() });
    return { item: ended, next };
  };
  const verdict = await permit(item, target, context);
  if (verdict !== "accepted") {
    return end(failed(`The tool was not called. ${verdict.reason}`), verdict.next);
  }
  const ending = await callServer(item, target, context);
  return end(ending, context.port.signal.aborted ? "stop" : "goOn");
}

function readInput({ name, input }: ToolCall): { input: Input } | { refusal: string } {
  const cannot = `Cannot call "${name}"`;
  try {
    const value = readJson(input === "" ? "{}" : input, LIMITS);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { input: value as Input };
    }
    return { refusal: `${cannot}: the input is no object, expected one` };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { refusal: `${cannot}: ${error.message}` };
  }
}

function startItem(
  { callId, name, input }: ToolCall,
  given: Input,
  { target, context }: { readonly target: McpTarget; readonly context: ToolContext },
): McpToolCall {
  const { server, tool } = target.known;
  const item: McpToolCall = {
    type: "mcpToolCall",
    id: callId,
    server,
    tool: tool.name,
    status: "inProgress",
    arguments: given,
    readOnlyHint: tool.annotations?.readOnlyHint ?? null,
    result: null,
    error: null,
    durationMs: null,
    receiptId: null,
    call: { name, input, output: null },
  };
  context.port.emit({ kind: "itemStarted", item, atMs: context.now() });
  return item;
}

interface Refused {
  readonly reason: string;
  readonly next: ToolOutcome["next"];
}

const UNCALLED: Readonly<Record<Exclude<Verdict, "accepted">, Refused>> = {
  declined: { reason: "Rejected by the user", next: "goOn" },
  cancelled: { reason: "Rejected by the user, who stopped the turn", next: "stop" },
  unanswered: { reason: "Not approved: nobody answered the question", next: "goOn" },
  moved: { reason: MACHINE_MOVED, next: "goOn" },
  unbounded: { reason: BOUNDS_UNREAD, next: "goOn" },
};

async function permit(
  item: McpToolCall,
  { known }: McpTarget,
  context: ToolContext,
): Promise<"accepted" | Refused> {
  const ruling = judgeTool(known, context.frame);
  if (ruling.kind === "run") return "accepted";
  if (ruling.kind === "refuse") return { reason: ruling.message, next: "goOn" };
  const tooLong = tooLongToAsk("Its input", item.call?.input ?? "");
  if (tooLong !== undefined) return { reason: tooLong, next: "goOn" };
  const verdict = await context.ask(questionOf(item, known, context));
  return verdict === "accepted" ? verdict : UNCALLED[verdict];
}

/** Bound to server, tool, input and to what the server said of the tool. */
function questionOf({ id, call }: McpToolCall, known: KnownTool, { frame }: ToolContext) {
  const { server, tool, digest } = known;
  const input = call?.input ?? "";
  const argv = ["mcp-tool", server, tool.name, input];
  const cwd = nativeOfUri(frame.cwd) ?? frame.cwd;
  const asked = { kind: "command", argv, cwd, escalates: false } as const;
  return {
    ...asked,
    itemId: id,
    approvalId: null,
    command: `mcp-tool ${server} ${wordOf(tool.name)} ${input}`,
    reason: concernOf(known),
    subject: subjectOf(asked, frame, ["mcpTool", digest]),
  };
}

/** A server could name a tool like a call of another one. */
function wordOf(name: string): string {
  return /^[\w.:/-]+$/.test(name) ? name : JSON.stringify(name);
}

async function callServer(
  { id, arguments: given }: McpToolCall,
  { server, known }: McpTarget,
  { thread, turn, frame, isPassing, port }: ToolContext,
): Promise<Ending> {
  if (isPassing) server.passWithTurn();
  const { profile, cwd, workspaceRoots } = frame;
  const ids = { threadId: thread, turnId: turn, callId: id };
  try {
    const result = await server.connection.callForModel(
      { name: known.tool.name, arguments: given as Input },
      () => {
        if (server.isStale) throw changedMeanwhile(known);
        return { profile, cwd, workspaceRoots, ids };
      },
      { signal: port.signal },
    );
    const status = result.isError === true ? "failed" : "completed";
    return {
      ...{ status, result: itemResultOf(result), error: null },
      ...{ receiptId: receiptOfResult(result), output: modelTextOf(result) },
    };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** What was judged, and perhaps approved, is not what would be called. */
function changedMeanwhile({ server, tool }: KnownTool): McpError {
  const what = `call tool "${tool.name}" of MCP server "${server}"`;
  return new McpError(
    "notSent",
    `Cannot ${what}: its tools changed or it was started again meanwhile, expected another call`,
  );
}

function failed(error: string): Ending {
  return { status: "failed", result: null, error, receiptId: null, output: error };
}
