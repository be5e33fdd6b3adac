import type { Tool } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import type { ApprovalPolicy } from "../../../src/agent/approval.ts";
import { frameIn, McpLab, settle, tool } from "./support/mcp-lab.ts";

const READS = { readOnlyHint: true };
const granular = (mcp_elicitations: boolean): ApprovalPolicy => ({
  granular: {
    sandbox_approval: true,
    rules: true,
    mcp_elicitations,
    skill_approval: true,
    request_permissions: true,
  },
});

/** A thread with one tool, of which the server says `annotations`. */
function labWith(annotations?: Tool["annotations"]): McpLab {
  const lab = new McpLab();
  lab.server().tools = [tool("act", annotations)];
  return lab;
}
const ACT = "mcp__lab__act";

describe("a tool that may change things", () => {
  const annotations: [string, Tool["annotations"]][] = [
    ["nothing", undefined],
    ["nothing of reading", { openWorldHint: false }],
    ["that it does not destroy", { destructiveHint: false }],
    ["that it does not only read", { readOnlyHint: false }],
    ["that it reads and destroys", { readOnlyHint: true, destructiveHint: true }],
  ];

  it.each(annotations)("is asked about when its server says %s", async (_, said) => {
    const lab = labWith(said);
    const { item } = await lab.call(ACT, { input: '{"a":1}' });
    expect(lab.questions).toEqual([
      {
        kind: "command",
        itemId: "call_1",
        approvalId: null,
        argv: ["mcp-tool", "lab", "act", '{"a":1}'],
        command: 'mcp-tool lab act {"a":1}',
        cwd: "/srv/ws",
        reason: expect.stringContaining('MCP server "lab"'),
        escalates: false,
        subject: expect.stringMatching(/^[\da-f]{64}$/),
      },
    ]);
    expect(item).toMatchObject({ status: "completed" });
    await lab.thread.close();
  });

  it("is asked about with all of its input, and not called where that is more than anybody reads", async () => {
    const lab = labWith();
    const input = (length: number) =>
      JSON.stringify({ path: "/safe", more: "x".repeat(length), to: "/etc" });
    await lab.call(ACT, { input: input(60_000) });
    expect(lab.questions).toMatchObject([{ command: `mcp-tool lab act ${input(60_000)}` }]);
    const { item, next } = await lab.call(ACT, { input: input(70_000) });
    expect(next).toBe("goOn");
    expect(item).toMatchObject({
      status: "failed",
      error: expect.stringContaining("expected at most 65536 where a person has to be asked"),
    });
    expect([lab.questions.length, lab.server().calls.length]).toEqual([1, 1]);
    await lab.thread.close();
  });

  it("is asked about by a name that is not taken for its input", async () => {
    const lab = new McpLab();
    lab.server().tools = [tool('look {"at":1}\n$ ls')];
    const [declared] = await lab.thread.declarations(lab.context());
    await lab.run(declared?.name ?? "");
    expect(lab.questions).toMatchObject([
      { command: String.raw`mcp-tool lab "look {\"at\":1}\n$ ls" {}` },
    ]);
    await lab.thread.close();
  });

  it.each(annotations)("is refused under never when its server says %s", async (_, said) => {
    const lab = labWith(said);
    const { item, next } = await lab.call(ACT, { frame: { approval: "never" } });
    expect(item).toMatchObject({
      status: "failed",
      error: expect.stringContaining('the approval policy is "never"'),
    });
    expect([next, lab.questions, lab.server().calls]).toEqual(["goOn", [], []]);
    await lab.thread.close();
  });

  it.each<[string, ApprovalPolicy, number, number]>([
    ["untrusted", "untrusted", 1, 1],
    ["granular with its questions on", granular(true), 1, 1],
    ["granular with its questions off", granular(false), 0, 0],
  ])("under %s", async (_, approval, asked, called) => {
    const lab = labWith();
    await lab.call(ACT, { frame: { approval } });
    expect([lab.questions.length, lab.server().calls.length]).toEqual([asked, called]);
    await lab.thread.close();
  });

  it("is not asked about where nothing is confined", async () => {
    const lab = labWith();
    const frame = { ...frameIn("danger-full-access"), approval: "never" as const };
    expect((await lab.call(ACT, { frame })).item).toMatchObject({ status: "completed" });
    expect(lab.questions).toEqual([]);
    await lab.thread.close();
  });

  it.each([
    ["declined", "Rejected by the user", "goOn"],
    ["cancelled", "who stopped the turn", "stop"],
    ["unanswered", "nobody answered", "goOn"],
  ] as const)("is not called when the question was %s", async (verdict, sentence, next) => {
    const lab = labWith();
    lab.verdict = verdict;
    const outcome = await lab.call(ACT);
    expect(outcome).toMatchObject({
      next,
      item: {
        status: "failed",
        error: expect.stringContaining(sentence),
        call: { output: expect.stringContaining("The tool was not called.") },
      },
    });
    expect(lab.events.map(({ kind }) => kind)).toEqual(["itemStarted", "itemCompleted"]);
    expect(lab.server().calls).toEqual([]);
    await lab.thread.close();
  });

  it("is another subject with another input, sandbox, tool or server", async () => {
    const lab = new McpLab({ one: {}, two: {} });
    for (const name of ["one", "two"]) lab.server(name).tools = [tool("act"), tool("do")];
    await lab.call("mcp__one__act");
    await lab.call("mcp__one__act");
    await lab.call("mcp__one__act", { input: '{"a":1}' });
    await lab.call("mcp__one__act", { frame: frameIn("read-only") });
    await lab.call("mcp__one__do");
    await lab.call("mcp__two__act");
    const subjects = lab.questions.map(({ subject }) => subject);
    expect(subjects[0]).toBe(subjects[1]);
    expect(new Set(subjects).size).toBe(5);
    await lab.thread.close();
  });
});

describe("a tool that only reads", () => {
  it.each(["never", "on-request", "untrusted"] as const)("is called under %s", async (approval) => {
    const lab = labWith(READS);
    expect((await lab.call(ACT, { frame: { approval } })).item).toMatchObject({
      status: "completed",
    });
    expect(lab.questions).toEqual([]);
    await lab.thread.close();
  });

  it("K25 lends nothing to a tool of the same name elsewhere", async () => {
    const lab = new McpLab({ soft: {}, hard: {} });
    lab.server("soft").tools = [tool("act", READS)];
    lab.server("hard").tools = [tool("act")];
    await lab.call("mcp__soft__act", { frame: { approval: "never" } });
    await lab.call("mcp__hard__act", { frame: { approval: "never" } });
    expect([lab.server("soft").calls.length, lab.server("hard").calls.length]).toEqual([1, 0]);
    await lab.thread.close();
  });
});

describe("what the configuration says of asking", () => {
  const FULL = frameIn("danger-full-access");
  const labSaying = (settings: object, annotations?: Tool["annotations"]) => {
    const lab = new McpLab({ lab: settings });
    lab.server().tools = [tool("act", annotations)];
    return lab;
  };

  it.each([
    ["for all tools", { defaultToolApproval: "prompt" }],
    ["for this one", { toolApprovals: new Map([["act", "prompt"]]) }],
    [
      "for this one of others",
      { defaultToolApproval: "approve", toolApprovals: new Map([["act", "prompt"]]) },
    ],
  ])("has a tool asked about that only reads, %s", async (_, settings) => {
    const lab = labSaying(settings, READS);
    await lab.call(ACT);
    await lab.call(ACT, { frame: FULL });
    expect(lab.questions).toMatchObject([
      { reason: 'The configuration of MCP server "lab" wants it asked' },
      {},
    ]);
    await lab.call(ACT, { frame: { approval: "never" } });
    await lab.call(ACT, { frame: { ...FULL, approval: "never" } });
    expect([lab.questions.length, lab.server().calls.length]).toEqual([2, 2]);
    await lab.thread.close();
  });

  it("lets a tool be called that was approved, until it changes", async () => {
    const lab = labSaying({ defaultToolApproval: "approve" });
    await lab.call(ACT, { frame: { approval: "never" } });
    expect([lab.questions.length, lab.server().calls.length]).toEqual([0, 1]);
    await lab.server().changeTools([{ ...tool("act"), description: "Other." }]);
    await lab.call(ACT, { frame: { approval: "never" } });
    await lab.call(ACT);
    expect([lab.questions.length, lab.server().calls.length]).toEqual([1, 2]);
    await lab.thread.close();
  });

  it("leaves it to the approval policy where it says auto", async () => {
    const lab = labSaying({
      defaultToolApproval: "approve",
      toolApprovals: new Map([["act", "auto"]]),
    });
    await lab.call(ACT);
    expect(lab.questions).toHaveLength(1);
    await lab.thread.close();
  });
});

describe("a tool that changes in the middle of a thread", () => {
  const changes: [string, readonly Tool[]][] = [
    ["now says that it only reads", [tool("act", READS)]],
    ["is described otherwise", [{ ...tool("act", READS), description: "Now with more." }]],
    [
      "takes something else",
      [{ ...tool("act", READS), inputSchema: { type: "object", properties: { a: {} } } }],
    ],
  ];

  it.each(changes)("K23 is asked about when it %s", async (_, tools) => {
    const lab = labWith();
    await lab.thread.declarations(lab.context());
    await lab.server().changeTools(tools);
    await lab.call(ACT);
    expect(lab.questions).toMatchObject([
      { reason: 'MCP server "lab" describes this tool otherwise than at first' },
    ]);
    await lab.thread.close();
  });

  it.each(changes)("K23 is refused under never when it %s", async (_, tools) => {
    const lab = labWith();
    await lab.thread.declarations(lab.context());
    await lab.server().changeTools(tools);
    await lab.call(ACT, { frame: { approval: "never" } });
    expect(lab.server().calls).toEqual([]);
    await lab.thread.close();
  });

  it("K23 is asked about when it is new, whatever is said of it", async () => {
    const lab = labWith(READS);
    await lab.thread.declarations(lab.context());
    await lab.server().changeTools([tool("act", READS), tool("new", READS)]);
    await lab.call(ACT);
    expect(lab.questions).toEqual([]);
    await lab.call("mcp__lab__new");
    expect(lab.questions).toHaveLength(1);
    await lab.thread.close();
  });

  it("K23 is asked about when nothing but its title changed, by which a model may be told of it", async () => {
    const lab = labWith(READS);
    await lab.thread.declarations(lab.context());
    await lab.server().changeTools([{ ...tool("act", READS), title: "Do as the file says" }]);
    await lab.call(ACT);
    expect(lab.questions).toHaveLength(1);
    await lab.thread.close();
  });

  it("K23 is another subject, so that an earlier answer is none", async () => {
    const lab = labWith();
    await lab.call(ACT);
    await lab.server().changeTools([{ ...tool("act"), description: "Now with more." }]);
    await lab.call(ACT);
    const [before, after] = lab.questions.map(({ subject }) => subject);
    expect(before).not.toBe(after);
    await lab.thread.close();
  });

  it("K23 is looked at again when it is called, not only when it was declared", async () => {
    const lab = labWith(READS);
    await lab.thread.declarations(lab.context());
    await lab.server().changeTools([tool("act")]);
    await lab.run(ACT);
    expect(lab.questions).toHaveLength(1);
    await lab.server().changeTools([]);
    const { item } = await lab.run(ACT);
    expect(item).toMatchObject({
      type: "refusedCall",
      call: { output: expect.stringContaining("no longer has this tool") },
    });
    await lab.thread.close();
  });

  it("K23 is not called when it changed while the question was open", async () => {
    const lab = labWith();
    lab.onAsk = () => lab.server().changeTools([{ ...tool("act"), description: "Other." }]);
    const { item } = await lab.call(ACT);
    expect(item).toMatchObject({ status: "failed", error: expect.stringContaining("meanwhile") });
    expect(lab.server().calls).toEqual([]);
    await lab.thread.close();
  });

  it("K23 is not called on a server that was started again meanwhile", async () => {
    const lab = labWith(READS);
    await lab.thread.declarations(lab.context());
    lab.server().process?.exit(1);
    await settle();
    const { item } = await lab.run(ACT);
    expect(item).toMatchObject({ status: "failed", error: expect.stringContaining("meanwhile") });
    expect([lab.server().starts, lab.server().calls]).toEqual([2, []]);
    expect((await lab.call(ACT)).item).toMatchObject({ status: "completed" });
    await lab.thread.close();
  });

  it("is the same when only the order of its members changes", async () => {
    const lab = labWith();
    const taking = (properties: object) => ({
      ...tool("act", READS),
      inputSchema: { type: "object" as const, properties: { ...properties } },
    });
    lab.server().tools = [taking({ a: { type: "string", title: "A" }, b: {} })];
    await lab.thread.declarations(lab.context());
    await lab.server().changeTools([taking({ b: {}, a: { title: "A", type: "string" } })]);
    await lab.call(ACT);
    expect([lab.questions, lab.server().lists]).toEqual([[], 2]);
    await lab.thread.close();
  });
});
