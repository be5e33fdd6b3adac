import { afterEach, describe, expect, it } from "vitest";
import type { TurnItem } from "../../../../src/agent/turn-item.ts";
import { ask, collect, userSays } from "./support/ask.ts";
import { answers, type Provider, says, startProvider, thinks } from "./support/responses-server.ts";

let provider: Provider;
afterEach(() => provider.close());

const HALF = "\ud83d";
const refused = (input: string, output: string): TurnItem => ({
  ...{ type: "refusedCall", id: "call_1" },
  call: { name: "no_such_tool", input, output },
});

describe("a character in two pieces", () => {
  it("is told in one, and a half that nobody completes is not", async () => {
    const text = says("msg_1", "a\ud83d", "\ude00b", "\ud83d\ud83d", "\ud83d");
    provider = await startProvider(answers(thinks("rs_1", "t\ud83d"), text));
    const { events, error } = await collect(ask(provider.baseUrl));
    expect(error).toBeUndefined();
    expect(events.slice(0, -1).map((event) => "delta" in event && event.delta)).toEqual([
      ...["t", "a", "😀b", "\ufffd", "\ufffd"],
    ]);
  });

  it.each<[string, TurnItem]>([
    ["what was said", userSays(`a${HALF}`)],
    ["what a model said", { type: "agentMessage", id: "m", text: `a${HALF}` }],
    ["what a tool answered", refused("{}", `a${HALF}`)],
    ["an input", refused('{"a":"\\ud83d","b":"\\ud83d\\ude00"}', "no")],
    ["an input that cannot be read", refused(`${"x".repeat(499)}😀`, "no")],
  ])("is told to no provider in %s", async (_, item) => {
    provider = await startProvider(answers());
    const history = [userSays("x"), item];
    const { error } = await collect(ask(provider.baseUrl, { history, instructions: null }));
    expect(error).toBeUndefined();
    const told = JSON.stringify(provider.requests[0]?.body);
    expect(told).toContain("\ufffd");
    expect(told).not.toMatch(/\\ud[89a-f]/);
    expect(told.includes('b\\":')).toBe(told.includes("😀"));
  });
});
