import { afterEach, describe, expect, it } from "vitest";
import type { CommandExecution, TurnItem } from "../../../../src/agent/turn-item.ts";
import { ask, collect, userSays } from "./support/ask.ts";
import { answers, type Provider, startProvider } from "./support/responses-server.ts";

let provider: Provider;
afterEach(() => provider.close());

/** What a provider of the Responses API is told of a thread. */
async function told(...history: readonly TurnItem[]): Promise<unknown> {
  provider = await startProvider(answers());
  const { error } = await collect(ask(provider.baseUrl, { history, instructions: null }));
  expect(error).toBeUndefined();
  return provider.requests[0]?.body.input;
}

const says = (text: string) => ({ role: "user", content: [{ type: "input_text", text }] });
const command: CommandExecution = {
  type: "commandExecution",
  id: "call_1",
  command: "ls",
  argv: ["ls"],
  cwd: "/srv",
  processId: null,
  source: "agent",
  status: "completed",
  output: "a.txt",
  exitCode: 0,
  durationMs: 1,
  receiptId: null,
  denial: null,
  call: { name: "exec_command", input: '{"cmd":"ls"}', output: "Exit code: 0" },
};
const CALL = { type: "function_call", call_id: "call_1", name: "exec_command" };

describe("a thread told to a model", () => {
  it("keeps who said what, in order", async () => {
    const input = await told(
      userSays("hello"),
      { type: "reasoning", id: "rs_1", summary: ["secret thought"], content: [] },
      { type: "agentMessage", id: "msg_1", text: "hi" },
      { ...userSays("list"), id: "u2" },
    );
    expect(input).toMatchObject([
      says("hello"),
      { role: "assistant", content: "hi" },
      says("list"),
    ]);
    expect(JSON.stringify(input)).not.toContain("secret thought");
  });

  it.each<[string, TurnItem]>([
    ["a command", command],
    [
      "a tool of an MCP server",
      {
        type: "mcpToolCall",
        id: "call_1",
        server: "s",
        tool: "t",
        status: "completed",
        arguments: {},
        readOnlyHint: null,
        result: null,
        error: null,
        ...{ durationMs: 1, receiptId: null },
        call: command.call,
      },
    ],
    [
      "what it typed",
      {
        type: "terminalWrite",
        id: "call_1",
        launchId: "call_0",
        processId: "1",
        ...{ status: "completed", receiptId: null },
        call: command.call ?? { name: "", input: "", output: "" },
      },
    ],
    [
      "a call that was refused",
      {
        type: "refusedCall",
        id: "call_1",
        call: command.call ?? { name: "", input: "", output: "" },
      },
    ],
  ])("gives back %s as the model called it, with what it was told", async (_, item) => {
    expect(await told(userSays("go"), item)).toMatchObject([
      says("go"),
      { ...CALL, arguments: '{"cmd":"ls"}' },
      { type: "function_call_output", call_id: "call_1", output: "Exit code: 0" },
    ]);
  });

  it("shows a picture beside what the call said", async () => {
    const image = { mimeType: "image/png", base64: "AAAA" };
    const call = { name: "view_image", input: '{"path":"a.png"}', output: "a.png" };
    const viewed = { status: "completed", image, durationMs: 1, receiptId: null } as const;
    const item: TurnItem = { type: "toolCall", id: "call_1", ...viewed, denial: null, call };
    expect(await told(userSays("look"), item)).toMatchObject([
      says("look"),
      { type: "function_call", name: "view_image" },
      {
        output: [
          { type: "input_text", text: "a.png" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA" },
        ],
      },
    ]);
  });

  it.each([
    ["begins with what was done: a provider may take none that begins with a call", []],
    ["begins with what a user said, where that says nothing to a model", [userSays(" ")]],
  ])("%s", async (_, before) => {
    const [first, second] = (await told(...before, command, userSays("go"))) as { role: string }[];
    expect(first).toEqual(says("What follows was done before the first words of the user."));
    expect(second).toMatchObject(CALL);
  });

  it("has ids of calls that a provider takes, one for each, and always the same", async () => {
    const long = ["a".repeat(65), "b".repeat(65), "c".repeat(64)];
    const calls = long.map((id) => ({ ...command, id }));
    const input = (await told(userSays("go"), ...calls)) as { call_id?: string }[];
    const ids = input.flatMap(({ call_id: id }) => (id === undefined ? [] : [id]));
    expect(ids.map((id) => id.length <= 64)).toEqual(Array(6).fill(true));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[4]).toBe(long[2]);
    expect(new Set(ids).size).toBe(3);
  });

  it("says of a call without an output that it was interrupted", async () => {
    const call = { name: "exec_command", input: "{}", output: null };
    expect(await told(userSays("go"), { ...command, call })).toMatchObject([
      says("go"),
      CALL,
      { output: expect.stringContaining("interrupted") },
    ]);
  });

  it.each(["{broken", "[1]", "null", '"text"', "x".repeat(100_000)])(
    "shows an input that is no object as a short text in one (%#)",
    async (input) => {
      const call = { name: "exec_command", input, output: "refused" };
      const told_ = await told(userSays("go"), { type: "refusedCall", id: "call_1", call });
      expect(told_).toMatchObject([
        says("go"),
        { ...CALL, arguments: JSON.stringify({ unreadable: input.slice(0, 500) }) },
        { output: "refused" },
      ]);
    },
  );

  it("tells a command of the user as the user's word, and not all of a long output", async () => {
    const own = { ...command, source: "userShell", call: null, denial: "denied: /etc" } as const;
    const [note] = (await told({ ...own, output: "y".repeat(50_000) })) as [
      { role: string; content: [{ text: string }] },
    ];
    expect(note.role).toBe("user");
    const { text } = note.content[0];
    expect(text).toMatch(
      /^The user ran a command in this thread:\n\$ ls\nExit code: 0\ndenied: \/etc\n/,
    );
    expect(text.length).toBeLessThan(17_000);
    expect(text).toContain("34000 more characters were left out");
  });

  it("leaves out what says nothing", async () => {
    const other = { type: "other", value: { type: "image" } } as const;
    const input = await told(
      { type: "userMessage", id: "u1", clientId: null, content: [other] },
      { type: "agentMessage", id: "m", text: "" },
      { ...userSays(" \n"), id: "u2" },
      { type: "agentMessage", id: "n", text: "\n\n" },
      { ...userSays("go"), content: [{ type: "text", text: "go" }, other] },
    );
    expect(input).toEqual([says("go")]);
  });
});
