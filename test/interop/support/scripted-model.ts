/**
 * A stand-in for a model behind the Responses API, on loopback: it says what a test wrote down.
 *
 * Each request gets the next turn of the script; after the last one the model has nothing to add.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** One thing the model says: a tool call, with arguments or with plain text. */
export type Said =
  | {
      readonly kind: "call";
      readonly name: string;
      /** Whose tool it is, where it is not Codex's own. */
      readonly namespace?: string;
      readonly args: object;
    }
  | { readonly kind: "freeform"; readonly name: string; readonly input: string };

/** What the model says at once; it may depend on what the tools answered so far. */
export type Turn = readonly Said[] | ((outputs: readonly string[]) => readonly Said[]);

export interface ScriptedModel {
  readonly url: string;
  /** What the tools answered, as the model was told with the latest request. */
  readonly outputs: () => readonly string[];
}

interface ModelRequest {
  readonly input: readonly { readonly type?: string; readonly output?: unknown }[];
}

/** Starts a model; it ends with the test. */
export async function scriptedModel(turns: readonly Turn[]): Promise<ScriptedModel> {
  const heard: ModelRequest[] = [];
  const server = createServer((request, response) => {
    if (request.method === "POST") void answer(request, response);
    else response.end('{"object":"list","data":[],"models":[]}');
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const asked: ModelRequest = JSON.parse(await text(request));
    const turn = turns[heard.length] ?? [];
    heard.push(asked);
    const said = typeof turn === "function" ? turn(outputsOf(asked)) : turn;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(eventsOf(said, heard.length));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    outputs: () => outputsOf(heard.at(-1) ?? { input: [] }),
  };
}

function outputsOf({ input }: ModelRequest): string[] {
  return input
    .filter(({ type }) => type?.endsWith("_output"))
    .map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output)));
}

/** The stream of one response: what it holds, then that it is complete. */
function eventsOf(said: readonly Said[], number: number): string {
  const id = `response-${number}`;
  const output =
    said.length === 0
      ? [messageItem(`message-${number}`)]
      : said.map((one, index) => callItem(one, `call-${number}-${index}`));
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  return [
    event("response.created", { response: { id, output: [] } }),
    ...output.map((item, output_index) =>
      event("response.output_item.done", { output_index, item }),
    ),
    event("response.completed", { response: { id, status: "completed", output, usage } }),
  ].join("");
}

function event(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

function callItem(said: Said, call_id: string) {
  const { name } = said;
  if (said.kind === "freeform") {
    return { type: "custom_tool_call", id: call_id, call_id, name, input: said.input };
  }
  const args = JSON.stringify(said.args);
  const whose = said.namespace === undefined ? {} : { namespace: said.namespace };
  return { type: "function_call", id: call_id, call_id, name, ...whose, arguments: args };
}

function messageItem(id: string) {
  const content = [{ type: "output_text", text: "That is all." }];
  return { type: "message", id, role: "assistant", content };
}
