import { existsSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { AppLab } from "../support/app-lab.ts";

it("runs a command of the user's own within the turn that runs, which ends after it", async () => {
  const lab = new AppLab();
  const { workspace, outside } = lab.place;
  const client = await lab.client();
  const asked = { cwd: workspace, sandbox: "workspace-write" };
  const { thread } = await client.ok("thread/start", asked);
  const threadId = thread.id;
  const line = "until [ -e go ]; do sleep 0.02; done; touch first";
  const input = [{ type: "text", text: line, text_elements: [] }];
  const { turn } = await client.ok("turn/start", { threadId, input });
  await client.note("item/started", ({ item }) => item.type === "commandExecution");
  const waits = "until [ -e first ]; do sleep 0.02; done";
  const command = `${waits}; sleep 1; touch second; touch ${outside}/x`;
  await client.ok("thread/shellCommand", { threadId, command });
  writeFileSync(`${workspace}/go`, "");
  const { params } = await client.note("turn/completed", () => true);
  expect(params.turn).toMatchObject({ id: turn.id, status: "completed" });
  expect(["first", "second"].map((name) => existsSync(`${workspace}/${name}`))).toEqual([
    true,
    true,
  ]);
  expect(existsSync(`${outside}/x`)).toBe(false);
  const { data } = await client.ok("thread/turns/list", { threadId, itemsView: "full" });
  expect(data).toHaveLength(1);
  const sources = data[0].items.flatMap(({ source }: { source?: string }) => source ?? []);
  expect(sources).toEqual(["agent", "userShell"]);
});
