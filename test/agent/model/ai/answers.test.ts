import { afterEach, describe, expect, it } from "vitest";
import { ask, collect } from "./support/ask.ts";
import {
  answers,
  begins,
  calls,
  completed,
  type Provider,
  type Step,
  says,
  send,
  startProvider,
  thinks,
} from "./support/responses-server.ts";

let provider: Provider;
const serve = async (...steps: readonly Step[]) => {
  provider = await startProvider(...steps);
  return provider.baseUrl;
};
afterEach(() => provider.close());

const USAGE = {
  kind: "usage",
  usage: {
    inputTokens: 100,
    cachedInputTokens: 40,
    outputTokens: 20,
    reasoningOutputTokens: 5,
    totalTokens: 120,
  },
};
const TOOL = {
  name: "exec_command",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { cmd: { type: "string" } } },
};

describe("an answer of the Responses API", () => {
  it("streams text under the id that the model gave it", async () => {
    const baseUrl = await serve(answers(says("msg_7", "Good ", "morning")));
    expect(await collect(ask(baseUrl))).toEqual({
      error: undefined,
      events: [
        { kind: "text", itemId: "msg_7", delta: "Good " },
        { kind: "text", itemId: "msg_7", delta: "morning" },
        USAGE,
      ],
    });
  });

  it("hands out text while the answer is still under way", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const step = begins(
      async (response) => {
        await promise;
        send(response, [completed()]);
        response.end();
      },
      says("msg_1", "early"),
    );
    const answer = ask(await serve(step))[Symbol.asyncIterator]();
    expect((await answer.next()).value).toMatchObject({ delta: "early" });
    resolve();
    expect((await answer.next()).value).toEqual(USAGE);
  });

  it("passes over events that nobody knows", async () => {
    const baseUrl = await serve(answers([{ type: "response.new_thing" }], says("msg_1", "ok")));
    expect((await collect(ask(baseUrl))).events).toHaveLength(2);
  });

  it("keeps the parts of a summary apart, under the id of their item", async () => {
    const baseUrl = await serve(answers(thinks("rs_1", "first", "second"), says("msg_1", "so")));
    const { events } = await collect(ask(baseUrl));
    expect(events.slice(0, 2)).toEqual([
      { kind: "reasoning", itemId: "rs_1", part: "summary", index: 0, delta: "first" },
      { kind: "reasoning", itemId: "rs_1", part: "summary", index: 1, delta: "second" },
    ]);
  });

  it("keeps parallel calls in order, with inputs exactly as they were written", async () => {
    const odd = '{"cmd": "a",  "cmd":"b"}';
    const baseUrl = await serve(
      answers(
        calls("call_a", "exec_command", odd),
        calls("call_b", "exec_command", '{"cmd":"ls"}'),
        calls("call_c", "no_such_tool", "{broken"),
      ),
    );
    const { events, error } = await collect(ask(baseUrl, { tools: [TOOL] }));
    expect(error).toBeUndefined();
    expect(events).toEqual([
      USAGE,
      { kind: "call", callId: "call_a", name: "exec_command", input: odd },
      { kind: "call", callId: "call_b", name: "exec_command", input: '{"cmd":"ls"}' },
      { kind: "call", callId: "call_c", name: "no_such_tool", input: "{broken" },
    ]);
  });

  it("takes an input of ten megabytes without a word", async () => {
    const input = JSON.stringify({ cmd: "x".repeat(10_000_000) });
    const baseUrl = await serve(answers(calls("call_a", "exec_command", input)));
    const { events } = await collect(ask(baseUrl, { tools: [TOOL] }));
    expect(events.at(-1)).toMatchObject({ kind: "call", input });
  });

  it("may be empty, and is then only its usage", async () => {
    const baseUrl = await serve(answers());
    expect(await collect(ask(baseUrl))).toEqual({ events: [USAGE], error: undefined });
  });

  it.each([-1, 1.5, 1e300])("counts no tokens where %d are said", async (tokens) => {
    const usage = { input_tokens: tokens, output_tokens: 3 };
    const baseUrl = await serve(
      begins(
        (response) => {
          send(response, [{ ...completed(), response: { usage } }]);
          response.end();
        },
        says("msg_1", "ok"),
      ),
    );
    expect((await collect(ask(baseUrl))).events.at(-1)).toMatchObject({
      usage: { inputTokens: 0, outputTokens: 3, totalTokens: 3 },
    });
  });
});

describe("a request", () => {
  it("is one, keeps nothing with the provider, and rewrites no schema", async () => {
    const baseUrl = await serve(answers(calls("call_a", "exec_command", '{"cmd":"ls"}')));
    await collect(ask(baseUrl, { tools: [TOOL] }));
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]).toMatchObject({
      url: "/v1/responses",
      body: {
        model: "gpt-5",
        stream: true,
        store: false,
        tools: [
          {
            type: "function",
            name: "exec_command",
            description: "Runs a command.",
            parameters: TOOL.inputSchema,
            strict: false,
          },
        ],
      },
    });
    expect(JSON.stringify(provider.requests[0]?.body.input)).toContain("Be brief.");
  });

  it.each([
    ["gpt-5", "high"],
    ["some-model-of-ours", "low"],
  ])("says of %s how hard it is to think", async (model, effort) => {
    const baseUrl = await serve(answers(says("msg_1", "ok")));
    await collect(ask(baseUrl, { model: { provider: "openai", model, effort } }));
    expect(provider.requests[0]?.body).toMatchObject({ reasoning: { effort, summary: "auto" } });
  });
});
