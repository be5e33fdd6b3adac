import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { AnswerEnd } from "../../../../src/agent/model/ai/answer/answer-end.ts";
import { ask, collect } from "./support/ask.ts";
import {
  begins,
  completed,
  open,
  type Provider,
  says,
  send,
  startProvider,
} from "./support/responses-server.ts";

let provider: Provider;
afterEach(() => provider?.close());

const parts = [...says("msg_1", "Hello"), completed()];

describe("an answer that is complete", () => {
  it.each<[string, (response: ServerResponse) => unknown]>([
    ["stays open", () => {}],
    ["is reset", (response) => setImmediate(() => response.destroy())],
    ["brings more", (response) => send(response, says("msg_2", "more"))],
  ])("is whole though its connection %s", async (_, then) => {
    provider = await startProvider(begins(then, parts));
    const { events, error } = await collect(ask(provider.baseUrl));
    expect(error).toBeUndefined();
    expect(events).toMatchObject([{ kind: "text", delta: "Hello" }, { kind: "usage" }]);
  });

  it("is whole with chat completions, too", async () => {
    provider = await startProvider((response) => {
      open(response);
      const choice = {
        index: 0,
        delta: { role: "assistant", content: "hi" },
        finish_reason: "stop",
      };
      send(response, [{ id: "c", created: 1, model: "m", choices: [choice] }]);
      response.write("data: [DONE]\n\n");
    });
    const wire = { name: "local", wireApi: "chat" } as const;
    const { events, error } = await collect(ask(provider.baseUrl, { provider: wire }));
    expect(error).toBeUndefined();
    expect(events[0]).toMatchObject({ kind: "text", delta: "hi" });
  });

  it("leaves its connection to the next one where the provider ends it well", async () => {
    const sockets: unknown[] = [];
    const step = begins((response) => {
      sockets.push(response.socket);
      setTimeout(() => response.end(), 20);
    }, parts);
    const { baseUrl, close } = await startProvider(...Array.from({ length: 500 }, () => step));
    onTestFinished(() => close());
    const isKept = async () => {
      await collect(ask(baseUrl));
      return new Set(sockets).size < sockets.length;
    };
    await expect.poll(isKept, { interval: 60 }).toBe(true);
  });
});

describe("the end of an answer", () => {
  const place = (text: string, size = text.length) => {
    const end = new AnswerEnd();
    for (let from = 0; from < text.length; from += size) {
      const at = end.take(Buffer.from(text.slice(from, from + size)));
      if (at !== undefined) return from + at;
    }
    return undefined;
  };

  it.each([
    'event: response.completed\ndata: {"response":{},"type":"response.completed"}\n\n',
    'data: {"type":"response.failed","response":{}}\n\n',
    'data: {"type": "response.incomplete", "response": {}}\r\n\r\n',
    "data: [DONE]\n\n",
    "data:[DONE]\r\n\r\n",
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ])("is found behind %j, however it is cut", (last) => {
    const before = `data: {"type":"x","delta":"${"é".repeat(50)}"}\n\n`;
    for (const size of [1, 2, 7, 1000]) {
      expect(place(before.replaceAll("é", "e") + last + before, size)).toBe(
        before.length + last.length,
      );
    }
  });

  it.each([
    'data: {"type":"response.output_text.delta","delta":"data: [DONE]\\n\\n"}\n\n',
    'data: {"type":"response.output_text.delta","delta":"\\"type\\":\\"response.completed\\""}\n\n',
    'data: {"type":"response.completed_later"}\n\n',
    "event: response.completed_later\ndata: {}\n\n",
    ": response.completed\n\n",
    "data: [DONE]\n",
  ])("is not in %j", (text) => expect(place(text)).toBeUndefined());
});
