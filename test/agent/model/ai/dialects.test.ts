import { afterEach, describe, expect, it } from "vitest";
import { ask, collect, KEY, userSays } from "./support/ask.ts";
import { open, type Provider, send, startProvider } from "./support/responses-server.ts";

let provider: Provider;
afterEach(() => provider.close());

interface Told {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

const TOOL = { name: "look", description: "Looks.", inputSchema: { type: "object" } };

describe("a provider of chat completions", () => {
  const chunk = (delta: object, more: object = {}) => ({
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
  const serve = async (...parts: readonly object[]) => {
    provider = await startProvider((response) => {
      open(response);
      send(response, parts);
      response.end("data: [DONE]\n\n");
    });
    return provider.baseUrl;
  };
  const local = { name: "local", wireApi: "chat" } as const;

  it("is asked in its own words, with its key", async () => {
    const baseUrl = await serve(chunk({ content: "hi" }), chunk({}, { finish_reason: "stop" }));
    const model = { provider: "local", model: "qwen", effort: "low" };
    await collect(ask(baseUrl, { provider: local, tools: [TOOL], model }));
    expect(provider.requests[0]).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: `Bearer ${KEY}` },
      body: {
        model: "qwen",
        reasoning_effort: "low",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "hello" },
        ],
        tools: [{ type: "function", function: { name: "look", strict: false } }],
      },
    });
  });

  it("streams text and calls", async () => {
    const call = { index: 0, id: "call_0", function: { name: "look", arguments: '{"a":' } };
    const rest = { index: 0, function: { arguments: "1}" } };
    const baseUrl = await serve(
      chunk({ role: "assistant", content: "hi" }),
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [rest] }),
      chunk({}, { finish_reason: "tool_calls" }),
      {
        ...chunk({}),
        choices: [],
        usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      },
    );
    const { events, error } = await collect(ask(baseUrl, { provider: local, tools: [TOOL] }));
    expect(error).toBeUndefined();
    expect(events).toEqual([
      { kind: "text", itemId: expect.any(String), delta: "hi" },
      { kind: "usage", usage: expect.objectContaining({ inputTokens: 7, outputTokens: 3 }) },
      { kind: "call", callId: "call_0", name: "look", input: '{"a":1}' },
    ]);
  });

  it("is told of calls under ids of 40 characters, and of no picture", async () => {
    const baseUrl = await serve(chunk({ content: "hi" }), chunk({}, { finish_reason: "stop" }));
    const image = { mimeType: "image/png", base64: "AAAA" };
    const viewed = { status: "completed", image, durationMs: 1, receiptId: null } as const;
    const call = { name: "view_image", input: "{}", output: "a.png" };
    const calls = ["x".repeat(41), "y".repeat(40)].map((id) => ({
      ...({ type: "toolCall", id, ...viewed, denial: null, call } as const),
    }));
    await collect(ask(baseUrl, { provider: local, history: [userSays("look"), ...calls] }));
    const messages = provider.requests[0]?.body.messages as object[] | undefined;
    expect(messages?.slice(-4)).toMatchObject([
      { tool_calls: [{ id: expect.stringMatching(/^call_\w{32}$/) }] },
      { content: expect.stringMatching(/^a\.png\nThe picture itself is not shown/) },
      { tool_calls: [{ id: "y".repeat(40) }] },
      { tool_call_id: "y".repeat(40) },
    ]);
  });

  it("is refused where nothing says that its answer is whole", async () => {
    const { events, error } = await collect(
      ask(await serve(chunk({ content: "half" })), { provider: local }),
    );
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ name: "ModelError", code: "malformed" });
  });
});

describe("Anthropic", () => {
  const serve = async (...parts: readonly object[]) => {
    provider = await startProvider((response) => {
      open(response);
      send(response, parts);
      response.end();
    });
    return provider.baseUrl;
  };
  const block = (index: number, content_block: object, delta: object) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
  const begun = {
    type: "message_start",
    message: { id: "m", model: "claude", usage: { input_tokens: 7, output_tokens: 1 } },
  };

  it("is asked in its own words, whatever the table says of the wire", async () => {
    const baseUrl = await serve(
      begun,
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "hi" }),
      ...block(
        1,
        { type: "tool_use", id: "toolu_1", name: "look", input: {} },
        { type: "input_json_delta", partial_json: '{"a":1}' },
      ),
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    );
    const model = { provider: "anthropic", model: "claude-opus-4-5", effort: null };
    const { events, error } = await collect(
      ask(baseUrl, { provider: { name: "anthropic", wireApi: "chat" }, tools: [TOOL], model }),
    );
    expect(error).toBeUndefined();
    expect(provider.requests[0]).toMatchObject({
      url: "/v1/messages",
      headers: { "x-api-key": KEY },
      body: { model: "claude-opus-4-5", tools: [{ name: "look" }] },
    });
    expect(events).toEqual([
      { kind: "text", itemId: expect.any(String), delta: "hi" },
      { kind: "usage", usage: expect.objectContaining({ inputTokens: 7, outputTokens: 3 }) },
      { kind: "call", callId: "toolu_1", name: "look", input: '{"a":1}' },
    ]);
  });

  it("is told of the calls of others under ids that it takes, each with its own", async () => {
    const baseUrl = await serve(begun, { type: "message_stop" });
    const ids = ["functions.look:0", "functions.look.0", "toolu_1"];
    const calls = ids.map((id) => ({
      ...({ type: "refusedCall", id } as const),
      call: { name: "look", input: "{}", output: "no" },
    }));
    const history = [userSays("hello"), ...calls];
    await collect(ask(baseUrl, { provider: { name: "anthropic" }, history }));
    const messages = provider.requests[0]?.body.messages as { content: Told[] }[];
    const told = messages.flatMap(({ content }) => content);
    const called = told.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    const answered = told.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id]));
    expect(called).toEqual(answered);
    expect(called.at(-1)).toBe("toolu_1");
    expect(new Set(called).size).toBe(3);
    expect(called.filter((id) => !/^[a-zA-Z0-9_-]+$/.test(id ?? ""))).toEqual([]);
  });

  it("prints nothing of what its kit warns of", async () => {
    const warned: unknown[] = [];
    const heard = (warning: unknown) => warned.push(warning);
    process.on("warning", heard);
    const model = { provider: "anthropic", model: "a-model-nobody-knows", effort: null };
    const baseUrl = await serve(
      begun,
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "hi" }),
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    );
    const { error } = await collect(ask(baseUrl, { provider: { name: "anthropic" }, model }));
    expect(error).toBeUndefined();
    await new Promise((tick) => setImmediate(tick));
    process.off("warning", heard);
    expect([provider.requests.length, warned]).toEqual([1, []]);
  });

  it("is rejected with an effort that it does not know", async () => {
    const model = { provider: "anthropic", model: "claude", effort: "extreme" };
    const asked = ask(await serve(), { provider: { name: "anthropic" }, model });
    expect((await collect(asked)).error).toMatchObject({ code: "rejected" });
    expect(provider.requests).toEqual([]);
  });
});
