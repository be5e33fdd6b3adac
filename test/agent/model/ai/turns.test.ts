/** Whole turns: the loop, the SDK and a provider over HTTP. */
import { afterEach, describe, expect, it } from "vitest";
import { createAiModels } from "../../../../src/agent/model/ai/create-ai-models.ts";
import { McpLab } from "../../mcp/support/mcp-lab.ts";
import { turnLab } from "../../support/turn-lab.ts";
import {
  answers,
  begins,
  calls,
  fails,
  type Provider,
  type Step,
  says,
  startProvider,
  writes,
} from "./support/responses-server.ts";

let provider: Provider;
afterEach(() => provider.close());

const MODEL = { provider: "mock", model: "m", effort: null };

async function openTurns(
  steps: readonly Step[],
  more: Parameters<typeof turnLab>[0] = {},
  wireApi: "responses" | "chat" = "responses",
) {
  provider = await startProvider(...steps);
  const { baseUrl } = provider;
  const models = createAiModels({
    providers: [{ name: "mock", baseUrl, wireApi }],
    env: {},
    maxRetries: 0,
  });
  return turnLab({ ...more, models, frame: { model: MODEL } });
}

/** An answer of chat completions with these deltas, each of its own. */
function chats(...deltas: readonly object[]): Step {
  const ends = deltas.some((delta) => "tool_calls" in delta) ? "tool_calls" : "stop";
  const chunks = [
    ...deltas.map((delta) => ({ delta, finish_reason: null })),
    { delta: {}, finish_reason: ends },
  ].map((choice) => ({ id: "c", created: 1, model: "m", choices: [{ index: 0, ...choice }] }));
  const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return writes(`${lines.join("")}data: [DONE]\n\n`);
}

/** What the provider was told in one request. */
const told = (index: number) => JSON.stringify(provider.requests[index]?.body.input);

describe("a turn with a provider", () => {
  it("calls a tool of an MCP server and tells the provider what came of it", async () => {
    const mcp = new McpLab();
    const lab = await openTurns(
      [
        answers(says("msg_1", "Looking."), calls("call_9", "mcp__lab__look", '{"at":1}')),
        answers(says("msg_2", "Seen.")),
      ],
      { tools: [mcp.tools] },
    );
    expect(await lab.run("look")).toEqual({ status: "completed" });
    expect(lab.completed()).toMatchObject([
      { type: "userMessage" },
      { type: "agentMessage", id: "msg_1", text: "Looking." },
      { type: "mcpToolCall", id: "call_9", status: "completed" },
      { type: "agentMessage", id: "msg_2", text: "Seen." },
    ]);
    expect(provider.requests[1]?.body.input).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "Looking." },
      { type: "function_call", call_id: "call_9", arguments: '{"at":1}' },
      { type: "function_call_output", call_id: "call_9", output: "done" },
    ]);
    expect(mcp.server().calls).toMatchObject([{ name: "look", arguments: { at: 1 } }]);
  });

  it("goes on after calls that are nonsense", async () => {
    const lab = await openTurns([
      answers(
        calls("call_1", "no_such_tool", "{}"),
        calls("call_2", "exec_command", "{broken"),
        calls("call_3", "exec_command", JSON.stringify({ cmd: "x".repeat(10_000_000) })),
      ),
      answers(says("msg_1", "Sorry.")),
    ]);
    expect(await lab.run("go")).toEqual({ status: "completed" });
    const kinds = lab.completed().map(({ type }) => type);
    const refused = ["refusedCall", "refusedCall", "refusedCall"];
    expect(kinds).toEqual(["userMessage", ...refused, "agentMessage"]);
    expect(told(1).length).toBeLessThan(50_000);
  });

  it.each([
    ["is empty", "", "unnamed"],
    ["is blank", "  ", "__"],
    ["no tool can have", "functions.exec: ls", "functions_exec__ls"],
  ])(
    "answers a call whose name %s, and tells of it under one that is taken",
    async (_, name, as) => {
      const lab = await openTurns([
        answers(calls("call_1", name, "{}")),
        answers(says("m", "Oh.")),
      ]);
      expect(await lab.run("go")).toEqual({ status: "completed" });
      const output = `Cannot call ${JSON.stringify(name)}: there is no such tool, expected one that was declared`;
      expect(lab.completed()).toMatchObject([
        ...[{}, { type: "refusedCall", call: { name, output } }, { text: "Oh." }],
      ]);
      expect(provider.requests[1]?.body.input).toMatchObject([
        ...[{}, { name: as, call_id: "call_1" }, { call_id: "call_1", output }],
      ]);
    },
  );

  it("answers a call of chat completions that never gets a name, beside one that does", async () => {
    const call = (index: number, name: string, input: string) => ({
      tool_calls: [{ index, id: `call_${index}`, function: { name, arguments: input } }],
    });
    const lab = await openTurns(
      [
        chats(call(0, "", '{"cmd":"ls"}'), call(1, "no_tool", "{}")),
        chats(call(0, " ", "")),
        chats({ content: "Oh." }),
      ],
      {},
      "chat",
    );
    expect(await lab.run("go")).toEqual({ status: "completed" });
    expect(lab.completed()).toMatchObject([
      {},
      { type: "refusedCall", id: "call_1", call: { name: "no_tool" } },
      { type: "refusedCall", id: "call_0", call: { name: "", input: '{"cmd":"ls"}' } },
      { type: "refusedCall", call: { name: "", input: "" } },
      { text: "Oh." },
    ]);
  });

  it.each<[string, Step]>([
    ["says no", fails(500, "out of order")],
    ["says nonsense", writes("data: {nonsense\n\n")],
    ["breaks off", begins((response) => response.end(), says("msg_1", "half"))],
  ])("fails with a sentence where it %s, and the next turn does not", async (_, step) => {
    const lab = await openTurns([step, answers(says("msg_9", "Back."))]);
    expect(await lab.run("first")).toEqual({
      status: "failed",
      message: expect.stringMatching(/^Cannot ask model "m" of provider "mock": /),
    });
    expect(await lab.run("second")).toEqual({ status: "completed" });
    expect(told(1)).toContain("first");
    expect(lab.completed().at(-1)).toMatchObject({ text: "Back." });
  });

  it("keeps what was said under one id each, though the provider repeats its own", async () => {
    const lab = await openTurns([answers(says("msg_1", "One.")), answers(says("msg_1", "Two."))]);
    await lab.run("first");
    await lab.run("second");
    const ids = lab.completed().map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it("ends when it is interrupted, and lets go of the provider", async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const lab = await openTurns(
      [
        (response, request) => {
          response.on("close", () => resolve());
          return begins(() => {}, says("msg_1", "half"))(response, request);
        },
      ],
      { onEvent: ({ kind }) => kind === "messageDelta" && lab.stop.abort() },
    );
    expect(await lab.run("go")).toEqual({ status: "interrupted" });
    await gone;
  });
});
