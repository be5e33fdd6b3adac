/**
 * Tools that the client of a thread runs.
 *
 * What they do is the client's business, outside every sandbox of ours; the call
 * goes to it once, and an answer that does not come is a failure.
 */
import { JsonError, readJson, wholeCharacters } from "../../rpc/index.ts";
import type { ClientToolCall } from "../items/client-tool-call.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import type { ToolCall, ToolContext, ToolOutcome, ToolSource } from "../tools/tool.ts";
import type { ClientAnswer, ClientTool } from "./client-tool.ts";

const LIMITS = { maxLength: 1 << 20, maxDepth: 64, maxValues: 65_536 };

/** The tools of one thread, as its frame names them; `offered` are those of the last request. */
export function clientTools(): ReturnType<ToolSource["openThread"]> {
  let offered = new Map<string, ClientTool>();
  return {
    declarations: async ({ frame: { clientTools: tools } }) => {
      offered = new Map(tools.map((tool) => [clientToolName(tool), tool]));
      return [...offered].map(([name, { description, inputSchema }]) => ({
        name,
        description,
        inputSchema,
      }));
    },
    has: (name) => offered.has(name),
    run: async (call, context) => {
      const tool = offered.get(call.name);
      if (tool === undefined) throw new Error(`There is no tool "${call.name}" here`);
      return runClientCall(call, tool, context);
    },
    endTurn: async () => {},
    close: async () => {},
  };
}

/** By which a model calls it. */
export function clientToolName({
  namespace,
  name,
}: Pick<ClientTool, "namespace" | "name">): string {
  return namespace === null ? name : `${namespace}__${name}`;
}

async function runClientCall(
  call: ToolCall,
  { namespace, name: tool }: ClientTool,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { port, now } = context;
  const read = readInput(call);
  if ("refusal" in read) return refuseCall(call, read.refusal, context);
  const startedAt = now();
  const item: ClientToolCall = {
    ...{ type: "clientToolCall", id: call.callId, namespace, tool, arguments: read.input },
    ...{ status: "inProgress", content: null, success: null, durationMs: null },
    call: { name: call.name, input: call.input, output: null },
  };
  port.emit({ kind: "itemStarted", item, atMs: startedAt });
  const asked = { callId: call.callId, namespace, tool, arguments: read.input };
  const answer = await orAborted(
    answered(() => port.callClient(asked)),
    port.signal,
  );
  const durationMs = now() - startedAt;
  const ended = {
    ...item,
    ...(answer === ABORTED ? STOPPED : outcomeOf(answer, item)),
    durationMs,
  };
  port.emit({ kind: "itemCompleted", item: ended, atMs: now() });
  return { item: ended, next: answer === ABORTED ? "stop" : "goOn" };
}

function readInput({ name, input }: ToolCall): { input: unknown } | { refusal: string } {
  try {
    const read = readJson(input === "" ? "{}" : input, LIMITS);
    if (isWhole(read)) return { input: read };
    return { refusal: `Cannot call "${name}": its input holds half a character, expected text` };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { refusal: `Cannot call "${name}": ${error.message}` };
  }
}

/** A client may refuse the whole request for half a character, and another in its place is not what the model wrote. */
function isWhole(input: unknown): boolean {
  const json = JSON.stringify(input);
  return wholeCharacters(json) === json;
}

/** Why there is no answer is a sentence of ours, never one of a stranger. */
async function answered(ask: () => Promise<ClientAnswer>): Promise<ClientAnswer | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}

type Outcome = Pick<ClientToolCall, "status" | "content" | "success">;

const STOPPED: Outcome = { status: "failed", content: null, success: null };

function outcomeOf(
  answer: ClientAnswer | undefined,
  { call }: ClientToolCall,
): Outcome & Pick<ClientToolCall, "call"> {
  if (answer === undefined) {
    const output = "The tool failed: its client did not answer.";
    return { ...STOPPED, success: false, call: { ...call, output } };
  }
  const { contentItems: content, success } = answer;
  const texts = content.map((one) => (one.type === "inputText" ? one.text : `[${one.type}]`));
  const output = texts.join("\n");
  return { status: success ? "completed" : "failed", content, success, call: { ...call, output } };
}
