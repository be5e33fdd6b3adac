import { expect, it } from "vitest";
import { AppLab } from "./support/app-lab.ts";

const TOOL = {
  type: "function",
  name: "lookup_ticket",
  description: "Fetches a ticket",
  inputSchema: { type: "object" },
};

it("has the first follower run a tool of its own, once, also after a restart", async () => {
  const lab = new AppLab();
  const [first, second] = [await lab.client(), await lab.client()];
  const { thread } = await first.ok("thread/start", { dynamicTools: [TOOL] });
  await first.turn(thread.id, "say begun");
  await second.ok("thread/resume", { threadId: thread.id });
  first.onAsked = ({ method, params }) => {
    expect(method).toBe("item/tool/call");
    expect(params).toMatchObject({ tool: "lookup_ticket", arguments: { id: 7 }, namespace: null });
    return { result: { contentItems: [{ type: "inputText", text: "body" }], success: true } };
  };
  const { items } = await first.turn(thread.id, 'call lookup_ticket {"id":7}');
  expect(items[1]).toMatchObject({
    type: "dynamicToolCall",
    status: "completed",
    contentItems: [{ type: "inputText", text: "body" }],
    success: true,
  });
  expect(second.asked).toEqual([]);
  await lab.stop();
  const later = await lab.client();
  await later.ok("thread/resume", { threadId: thread.id });
  later.onAsked = () => ({ error: { code: -32601, message: "no such tool" } });
  const again = await later.turn(thread.id, "call lookup_ticket {}");
  expect(again.items[1]).toMatchObject({ status: "failed", success: false });
  expect(again.turn.status).toBe("completed");
});

it("refuses tools that have one name, and those that are none", async () => {
  const client = await new AppLab().client();
  const both = await client.refused("thread/start", { dynamicTools: [TOOL, TOOL] });
  expect(both.message).toContain("two have the same name");
  const broken = await client.refused("thread/start", { dynamicTools: [{ name: "a" }] });
  expect(broken.code).toBe(-32600);
  expect((await client.ok("thread/loaded/list", {})).data).toEqual([]);
});
