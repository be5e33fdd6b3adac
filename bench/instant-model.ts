/** A model on loopback that answers at once: `run` with a command, everything else with a word. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface InstantModel {
  readonly url: string;
  close(): void;
}

interface Asked {
  readonly input: readonly { readonly type?: string; readonly content?: unknown }[];
}

export async function instantModel(): Promise<InstantModel> {
  const server = createServer((request, response) => {
    if (request.method === "POST") void answer(request, response);
    else response.end('{"object":"list","data":[],"models":[]}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

let answered = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { input }: Asked = JSON.parse(await text(request));
  answered += 1;
  const last = input.at(-1);
  const isRun = JSON.stringify(last?.content ?? "").includes('"run"');
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(eventsOf(isRun ? COMMAND : WORD, answered));
}

const COMMAND = { type: "function_call", name: "exec_command", arguments: '{"cmd":"true"}' };
const WORD = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "done", annotations: [] }],
};

const DELTA = { output_index: 0, content_index: 0, delta: "done" };

function eventsOf(said: typeof COMMAND | typeof WORD, number: number): string {
  const item = { id: `item_${number}`, call_id: `call_${number}`, status: "completed", ...said };
  const response = { id: `resp_${number}`, created_at: 1, model: "instant", output: [] };
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  return [
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item },
    ...("content" in said
      ? [{ type: "response.output_text.delta", item_id: item.id, ...DELTA }]
      : []),
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", usage } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}
