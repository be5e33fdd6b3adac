import { describe, expect, it } from "vitest";
import { clientTools } from "../../../src/agent/client/client-tools.ts";
import type { ClientCall, TurnEvent, TurnItem } from "../../../src/agent/index.ts";
import type { ToolContext } from "../../../src/agent/tools/tool.ts";
import { UNASKED } from "../support/granting.ts";
import { FRAME } from "../support/turn-lab.ts";

const TOOL = {
  namespace: null,
  name: "lookup",
  description: "Looks something up",
  inputSchema: { type: "object" },
};

interface Lab {
  readonly context: ToolContext;
  readonly events: TurnEvent[];
  readonly asked: ClientCall[];
  readonly stop: AbortController;
}

function lab(answer: () => Promise<{ contentItems: []; success: boolean }>): Lab {
  const events: TurnEvent[] = [];
  const asked: ClientCall[] = [];
  const stop = new AbortController();
  const context: ToolContext = {
    thread: "t",
    turn: "u",
    frame: { ...FRAME, clientTools: [TOOL, { ...TOOL, namespace: "tickets" }] },
    isPassing: false,
    port: {
      signal: stop.signal,
      emit: (...several) => void events.push(...several),
      approve: () => Promise.reject(new Error("not asked")),
      ...UNASKED,
      callClient: (call) => {
        asked.push(call);
        return answer();
      },
      takeSteered: () => [],
    },
    now: () => 1,
    ask: () => Promise.reject(new Error("not asked")),
  };
  return { context, events, asked, stop };
}

async function call(one: Lab, name: string, input: string): Promise<TurnItem> {
  const tools = clientTools();
  expect((await tools.declarations(one.context)).map((tool) => tool.name)).toEqual([
    "lookup",
    "tickets__lookup",
  ]);
  expect(tools.has("other")).toBe(false);
  const { item } = await tools.run({ callId: "c", name, input }, one.context);
  return item;
}

describe("tools of the client", () => {
  it("are called once, under their own name, with what the model wrote", async () => {
    const one = lab(async () => ({ contentItems: [], success: true }));
    const item = await call(one, "tickets__lookup", '{"id":7}');
    expect(one.asked).toEqual([
      { callId: "c", namespace: "tickets", tool: "lookup", arguments: { id: 7 } },
    ]);
    expect(item).toMatchObject({ type: "clientToolCall", status: "completed", success: true });
    expect(one.events.map(({ kind }) => kind)).toEqual(["itemStarted", "itemCompleted"]);
  });

  it.each([
    ["fails", async () => ({ contentItems: [] as [], success: false }), ""],
    [
      "does not answer",
      () => Promise.reject(new Error("secret")),
      "The tool failed: its client did not answer.",
    ],
  ])("tell the model when one %s, and nothing of a stranger", async (_, answer, output) => {
    const item = await call(lab(answer), "lookup", "{}");
    expect(item).toMatchObject({ status: "failed", success: false, call: { output } });
    expect(JSON.stringify(item)).not.toContain("secret");
  });

  it.each([
    ["is no JSON", '{"a":1,"a":2}', "Cannot read JSON"],
    ["holds half a character", '{"a":["\\ud83d!"]}', "half a character"],
    ["has one in a name", '{"\ude00":1}', "half a character"],
  ])("are not called with what %s", async (_, input, reason) => {
    const one = lab(async () => ({ contentItems: [], success: true }));
    expect(await call(one, "lookup", input)).toMatchObject({
      type: "refusedCall",
      call: { output: expect.stringContaining(reason) },
    });
    expect(one.asked).toEqual([]);
  });

  it("are called with characters that are whole, however they are written", async () => {
    const one = lab(async () => ({ contentItems: [], success: true }));
    await call(one, "lookup", '{"a":"\\ud83d\\ude00","b":"\\\\ud83d"}');
    expect(one.asked).toMatchObject([{ arguments: { a: "😀", b: "\\ud83d" } }]);
  });

  it("end with the turn", async () => {
    const one = lab(() => new Promise(() => {}));
    const tools = clientTools();
    await tools.declarations(one.context);
    const running = tools.run({ callId: "c", name: "lookup", input: "" }, one.context);
    one.stop.abort();
    expect(await running).toMatchObject({ item: { status: "failed" }, next: "stop" });
  });
});
