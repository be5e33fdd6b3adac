/**
 * A provider on this machine that answers what a test tells it, one step a request.
 *
 * It speaks the streams of the Responses API, of chat completions and of Anthropic
 * byte by byte, so that it can also say what no provider should.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface SeenRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What it does with one request. */
export type Step = (response: ServerResponse, request: SeenRequest) => unknown;
type Part = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Provider {
  readonly baseUrl: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/** Serves steps in order; a request too many gets HTTP 418. */
export async function startProvider(...steps: readonly Step[]): Promise<Provider> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const body = JSON.parse(await text(incoming));
    const request = { url: incoming.url ?? "", headers: incoming.headers, body };
    const step = steps[requests.push(request) - 1] ?? fails(418, "nobody wrote this step");
    await step(response, request);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Answers with events and ends well. */
export function answers(...parts: readonly (readonly Part[])[]): Step {
  return (response) => {
    open(response);
    send(response, [CREATED, ...parts.flat(), completed()]);
    response.end();
  };
}

/** Sends events and leaves the rest to the test. */
export function begins(then: (response: ServerResponse) => unknown, parts: readonly Part[]): Step {
  return (response) => {
    open(response);
    send(response, [CREATED, ...parts]);
    return then(response);
  };
}

export function fails(status: number, message: string, headers: object = {}): Step {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "t", code: null, param: null } }));
  };
}

/** Writes bytes as they are. */
export function writes(body: string, type = "text/event-stream"): Step {
  return (response) => {
    response.writeHead(200, { "content-type": type });
    response.end(body);
  };
}

export function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

export function send(response: ServerResponse, parts: readonly object[]): void {
  for (const part of parts) {
    response.write(`data: ${typeof part === "string" ? part : JSON.stringify(part)}\n\n`);
  }
}

export function says(id: string, ...deltas: readonly string[]): readonly Part[] {
  const item = { type: "message", role: "assistant", id };
  return [
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    ...deltas.map((delta) => ({
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      item_id: id,
      delta,
    })),
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...item, content: [{ type: "output_text", text: deltas.join(""), annotations: [] }] },
    },
  ];
}

export function thinks(id: string, ...summary: readonly string[]): readonly Part[] {
  return [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "reasoning", id, summary: [] },
    },
    ...summary.flatMap((delta, summary_index) => [
      { type: "response.reasoning_summary_part.added", item_id: id, summary_index },
      { type: "response.reasoning_summary_text.delta", item_id: id, summary_index, delta },
    ]),
    {
      type: "response.output_item.done",
      output_index: 0,
      item: {
        type: "reasoning",
        id,
        summary: summary.map((text) => ({ type: "summary_text", text })),
      },
    },
  ];
}

/** A call, of which only its end is told, as some providers do. */
export function calls(call_id: string, name: string, input: string): readonly Part[] {
  const item = { type: "function_call", id: `fc_${call_id}`, call_id, name, arguments: input };
  return [
    { type: "response.output_item.done", output_index: 1, item: { ...item, status: "completed" } },
  ];
}

const CREATED = {
  type: "response.created",
  response: { id: "resp_1", created_at: 1, model: "m", service_tier: null },
};

export function completed(incomplete?: string) {
  return {
    type: incomplete === undefined ? "response.completed" : "response.incomplete",
    response: {
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
      },
    },
  };
}
