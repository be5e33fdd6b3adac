import { describe, expect, it } from "vitest";
import { readMetaState, STATE_KEYS } from "../../../src/mcp/index.ts";
import { frameIn, McpLab, settle, tool } from "./support/mcp-lab.ts";

const LOOK = "mcp__lab__look";

describe("tools of MCP servers", () => {
  it("start nothing before they are wanted", async () => {
    const lab = new McpLab();
    expect(lab.server().starts).toBe(0);
    expect(lab.thread.has(LOOK)).toBe(false);
    await lab.thread.declarations(lab.context());
    expect([lab.server().starts, lab.thread.has(LOOK)]).toEqual([1, true]);
    await lab.thread.close();
  });

  it("are declared under the names that Codex gives them, as their servers describe them", async () => {
    const lab = new McpLab({ one: {}, two: {} });
    lab.server("two").tools = [{ ...tool("act"), description: "Acts." }];
    expect(await lab.thread.declarations(lab.context())).toEqual([
      { name: "mcp__one__look", description: "look", inputSchema: { type: "object" } },
      { name: "mcp__two__act", description: "Acts.", inputSchema: { type: "object" } },
    ]);
    await lab.thread.close();
  });

  it("are listed once, and again in the next turn", async () => {
    const lab = new McpLab();
    await lab.thread.declarations(lab.context());
    await lab.call(LOOK);
    expect(lab.server().lists).toBe(1);
    await lab.thread.endTurn(lab.context());
    await lab.thread.declarations(lab.context());
    expect([lab.server().lists, lab.server().starts]).toEqual([2, 1]);
    await lab.thread.close();
  });

  it.each([null, "elsewhere"])("are none where commands run in %s", async (environment) => {
    const lab = new McpLab();
    expect(await lab.thread.declarations(lab.context({ environment }))).toEqual([]);
    expect([lab.server().starts, lab.thread.has(LOOK)]).toEqual([0, false]);
  });

  it("are those that the configuration lets be used, and no others", async () => {
    const three = [tool("a"), tool("b"), tool("c")];
    const lab = new McpLab({
      some: { enabledTools: ["a", "b"], disabledTools: ["b"] },
      none: { enabledTools: [] },
      off: { enabled: false },
    });
    for (const name of ["some", "none"]) lab.server(name).tools = three;
    const declared = await lab.thread.declarations(lab.context());
    expect(declared.map(({ name }) => name)).toEqual(["mcp__some__a"]);
    expect(lab.server("off").starts).toBe(0);
    const signal = lab.stop.signal;
    for (const call of [
      { server: "some", name: "b" },
      { server: "off", name: "a" },
      { server: "never-heard-of", name: "a" },
    ]) {
      await expect(lab.tools.callForClient("thread-1", call, signal)).rejects.toMatchObject({
        code: "misconfigured",
      });
    }
    expect(lab.server("some").calls).toEqual([]);
    await lab.thread.close();
  });

  it("of one server that fails do not stand in the way of another's", async () => {
    const lab = new McpLab({ bad: {}, good: {} });
    lab.server("bad").tools = [tool("twice"), tool("twice")];
    const declared = await lab.thread.declarations(lab.context());
    expect(declared.map(({ name }) => name)).toEqual(["mcp__good__look"]);
    expect(lab.startups).toContainEqual({
      thread: "thread-1",
      server: "bad",
      state: "failed",
      error: expect.stringContaining("two have the same name"),
    });
    await lab.thread.close();
  });

  it("are not asked for again in a turn in which a server failed, and are in the next", async () => {
    const lab = new McpLab();
    lab.server().tools = Array.from({ length: 513 }, (_, index) => tool(`t${index}`));
    await lab.thread.declarations(lab.context());
    await lab.thread.declarations(lab.context());
    expect(lab.server().lists).toBe(1);
    lab.server().tools = [tool("look")];
    await lab.thread.endTurn(lab.context());
    expect(await lab.thread.declarations(lab.context())).toHaveLength(1);
    expect(lab.startups.map(({ state }) => state)).toEqual([
      "starting",
      "failed",
      "starting",
      "ready",
    ]);
    await lab.thread.close();
  });
});

describe("a call of the model", () => {
  it("N11 carries the policy of its turn, whichever that is", async () => {
    const lab = new McpLab();
    for (const mode of ["read-only", "workspace-write", "danger-full-access"] as const) {
      const frame = frameIn(mode);
      await lab.call(LOOK, { frame });
      const meta = lab.server().calls.at(-1)?._meta;
      expect(readMetaState(meta)).toMatchObject({
        kind: "state",
        state: { cwd: "file:///srv/ws", profile: { type: frame.profile.type } },
      });
      expect(meta).toMatchObject({
        "x-codex-turn-metadata": { sandbox_mode: mode, thread_id: "thread-1", turn_id: "turn-1" },
      });
    }
    await lab.thread.close();
  });

  it("N12 is not sent to a server that does not ask for the sandbox", async () => {
    const lab = new McpLab();
    lab.server().capabilities = { tools: {} };
    const { item, next } = await lab.call(LOOK);
    expect(item).toMatchObject({
      type: "mcpToolCall",
      status: "failed",
      result: null,
      error: expect.stringContaining("does not ask for the sandbox"),
      call: { output: expect.stringContaining("does not ask for the sandbox") },
    });
    expect([next, lab.server().calls]).toEqual(["goOn", []]);
    await lab.thread.close();
  });

  it("goes to a confined server through what confines it", async () => {
    const lab = new McpLab({ lab: { sandbox: "confine" } });
    expect((await lab.call(LOOK)).item).toMatchObject({ status: "completed" });
    expect([lab.confined, lab.server().calls.length]).toEqual([["lab"], 1]);
    await lab.thread.close();
  });

  it("is an item from its start to its end, with what the server answered", async () => {
    const lab = new McpLab();
    lab.server().result = {
      content: [{ type: "text", text: "seen" }],
      structuredContent: { a: 1 },
      _meta: { b: 2 },
    };
    const { item } = await lab.call(LOOK, { input: '{"at": [1, 2]}' });
    const started = {
      type: "mcpToolCall",
      id: "call_1",
      server: "lab",
      tool: "look",
      status: "inProgress",
      arguments: { at: [1, 2] },
      readOnlyHint: true,
      result: null,
      error: null,
      ...{ durationMs: null, receiptId: null },
      call: { name: LOOK, input: '{"at": [1, 2]}', output: null },
    };
    const completed = {
      ...started,
      status: "completed",
      result: {
        content: [{ type: "text", text: "seen" }],
        structuredContent: { a: 1 },
        meta: { b: 2 },
      },
      durationMs: 0,
      call: { ...started.call, output: "seen" },
    };
    expect(lab.events).toEqual([
      { kind: "itemStarted", item: started, atMs: 1000 },
      { kind: "itemCompleted", item: completed, atMs: 1000 },
    ]);
    expect(item).toEqual(completed);
    expect(lab.server().calls[0]).toMatchObject({ name: "look", arguments: { at: [1, 2] } });
    await lab.thread.close();
  });

  it.each([
    [
      "text and other blocks",
      {
        content: [
          { type: "text", text: "a" },
          { type: "image", data: "AAAA", mimeType: "image/png" },
        ],
      },
      "a\n[image of 4 characters, image/png]",
    ],
    ["nothing", { content: [] }, "(no output)"],
    ["only structure", { content: [], structuredContent: { a: 1 } }, '{"a":1}'],
    [
      "a failure",
      { content: [{ type: "text", text: "no" }], isError: true },
      "The tool failed.\nno",
    ],
  ])("tells the model of %s", async (_, result, output) => {
    const lab = new McpLab();
    lab.server().result = result;
    const { item } = await lab.call(LOOK);
    const status = "isError" in result ? "failed" : "completed";
    expect(item).toMatchObject({ status, error: null, call: { output } });
    await lab.thread.close();
  });

  it("neither keeps nor tells all of a result that is too long", async () => {
    const lab = new McpLab();
    lab.server().result = { content: [{ type: "text", text: "x".repeat(2_000_000) }] };
    const { item } = await lab.call(LOOK);
    expect(JSON.stringify(item).length).toBeLessThan(50_000);
    expect(item).toMatchObject({
      result: { content: [{ text: expect.stringContaining("was not kept") }] },
      call: { output: expect.stringContaining("characters left out") },
    });
    await lab.thread.close();
  });

  it.each([
    ["broken", "{oops"],
    ["a list", "[]"],
    ["null", "null"],
    ["ambiguous", '{"a":1,"a":2}'],
    ["ten megabytes", JSON.stringify({ a: "x".repeat(10_000_000) })],
  ])("is refused with an input that is %s, and nothing is sent", async (_, input) => {
    const lab = new McpLab();
    const { item, next } = await lab.call(LOOK, { input });
    expect(item).toMatchObject({
      type: "refusedCall",
      call: { output: expect.stringMatching(/^Cannot (call|read)/) },
    });
    expect([next, lab.server().calls]).toEqual(["goOn", []]);
    await lab.thread.close();
  });

  it("stops with its turn", async () => {
    const lab = new McpLab();
    lab.server().onCall = () => {
      lab.stop.abort();
      return new Promise(() => {});
    };
    const { item, next } = await lab.call(LOOK);
    expect(item).toMatchObject({ status: "failed", error: expect.stringContaining("cancelled") });
    expect(next).toBe("stop");
    await lab.thread.close();
  });

  it("fails where the server dies, and is not sent again", async () => {
    const lab = new McpLab();
    lab.server().onCall = (process) => {
      process.exit(1);
      return new Promise(() => {});
    };
    const { item } = await lab.call(LOOK);
    expect(item).toMatchObject({
      status: "failed",
      error: expect.stringContaining("whether it ran is not known"),
    });
    expect(lab.server().calls).toHaveLength(1);
    await lab.thread.close();
  });
});

describe("a call of a client", () => {
  it("N13 carries nothing of a sandbox", async () => {
    const lab = new McpLab();
    const meta = { ...Object.fromEntries(STATE_KEYS.map((key) => [key, {}])), trace: "1" };
    const call = { server: "lab", name: "look", arguments: { a: 1 }, meta };
    await lab.tools.callForClient("thread-1", call, lab.stop.signal);
    expect(lab.server().calls).toEqual([
      { name: "look", arguments: { a: 1 }, _meta: { trace: "1" } },
    ]);
    await lab.thread.close();
  });

  it("is refused for a thread that is not loaded", async () => {
    const lab = new McpLab();
    const call = { server: "lab", name: "look" };
    const refused = { code: "closed", message: expect.stringContaining("is not loaded") };
    await expect(lab.tools.callForClient("other", call, lab.stop.signal)).rejects.toMatchObject(
      refused,
    );
    await lab.thread.close();
    await expect(lab.tools.callForClient("thread-1", call, lab.stop.signal)).rejects.toMatchObject(
      refused,
    );
  });
});

describe("the status of servers", () => {
  it("is that of the thread's own, with their tools", async () => {
    const lab = new McpLab({ good: {}, bad: {} });
    lab.server("bad").tools = [tool("x"), tool("x")];
    expect(await lab.tools.status("thread-1", lab.stop.signal)).toEqual([
      {
        name: "good",
        state: "ready",
        error: null,
        tools: [expect.objectContaining({ name: "look" })],
      },
      { name: "bad", state: "failed", error: expect.stringContaining("same name"), tools: [] },
    ]);
    await lab.thread.declarations(lab.context());
    expect(lab.server("good").starts).toBe(1);
    await lab.thread.close();
  });

  it.each(["status", "turn"])(
    "of one who gives up (%s) is no answer to the other",
    async (first) => {
      const lab = new McpLab();
      const { promise, resolve } = Promise.withResolvers<void>();
      lab.server().onList = () => promise;
      const leaving = new AbortController();
      const turn = lab.context();
      const gone = { ...turn, port: { ...turn.port, signal: leaving.signal } };
      const left =
        first === "turn"
          ? lab.thread.declarations(gone)
          : lab.tools.status("thread-1", leaving.signal);
      const stays =
        first === "turn"
          ? lab.tools.status("thread-1", lab.stop.signal)
          : lab.thread.declarations(turn);
      await settle();
      leaving.abort();
      await left;
      resolve();
      const named = first === "turn" ? { state: "ready" } : { name: "mcp__lab__look" };
      expect(await stays).toMatchObject([named]);
      await lab.thread.close();
    },
  );

  it("without a thread starts servers and ends them again", async () => {
    const lab = new McpLab();
    expect(await lab.tools.status(null, lab.stop.signal)).toMatchObject([{ state: "ready" }]);
    expect(lab.server().process?.isOver).toBe(true);
    expect(lab.startups.map(({ thread }) => thread)).toEqual([null, null]);
    await lab.thread.close();
  });

  it("ends with its thread, which leaves no server behind", async () => {
    const lab = new McpLab({ one: {}, two: {} });
    await lab.thread.declarations(lab.context());
    await lab.thread.close();
    expect(["one", "two"].map((name) => lab.server(name).process?.isOver)).toEqual([true, true]);
    expect(lab.thread.has("mcp__one__look")).toBe(false);
  });
});
