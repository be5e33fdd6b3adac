import { describe, expect, it, vi } from "vitest";
import { connectConfined } from "./support/confined-client.ts";
import { CoreDriver } from "./support/core-driver.ts";
import { ScriptedExecutor } from "./support/scripted-executor.ts";
import { A, B, metaOf } from "./support/states.ts";

const call = (id: number, state: object, rest: object = {}) => ({
  id,
  method: "tools/call",
  params: { name: "x", ...rest, _meta: metaOf(state) },
});

const IN_ROOT = { ...A, sandboxCwd: "file:///" };

describe("a server that asks without end", () => {
  it("reaches the client with so many questions as may be open, and again once one is answered", () => {
    const driver = new CoreDriver();
    driver.greet();
    for (let id = 0; id < 1500; id += 1) driver.reply({ id, method: "ping" });
    const asked = driver.got();
    expect(asked).toHaveLength(1000);
    expect(driver.noise).toHaveLength(500);
    expect(driver.noise[0]).toContain("1000 others are not answered yet");
    driver.say({ id: asked[7]?.id, result: {} });
    expect(driver.seen()).toMatchObject([{ id: 7, result: {} }]);
    driver.reply({ id: 9999, method: "ping" });
    expect(driver.got()).toHaveLength(1);
  });

  it.each([
    ["a text", JSON.stringify("x".repeat(2000))],
    ["a number", `1.5${"0".repeat(2000)}`],
  ])("is not kept with an id that is long, as %s", (_, id) => {
    const driver = new CoreDriver();
    driver.greet();
    driver.reply(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect(driver.got()).toEqual([]);
    expect(driver.noise).toEqual([expect.stringContaining("more than 1024 characters")]);
  });
});

describe("a server that does not start", () => {
  it("fails no call but the one it was started for, when that was cancelled", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.automatic = false;
    driver.say(call(1, A));
    driver.say(call(2, B));
    driver.run(driver.core.gone(1));
    driver.say({ method: "notifications/cancelled", params: { requestId: 1 } });
    driver.run(driver.core.notStarted(2, "there is no such program"));
    expect(driver.got()).toEqual([]);
    expect(driver.done.at(-1)).toBe("start 3 /other");
    driver.run(driver.core.notStarted(3, "there is no such program"));
    expect(driver.got()).toMatchObject([{ id: 2, result: { isError: true } }]);
  });
});

describe("a server that reads nothing", () => {
  it("is given up, so that its client is heard again", async () => {
    const executor = new ScriptedExecutor();
    const { ask, got, send } = connectConfined(executor, { patienceMs: 50 });
    await ask(call(1, IN_ROOT));
    for (const process of executor.processes) process.onWrite = () => new Promise(() => {});
    const text = "x".repeat(1 << 20);
    const ids = Array.from({ length: 32 }, (_, index) => index + 2);
    for (const id of ids) void send(call(id, IN_ROOT, { arguments: { text } }));
    await vi.waitFor(() => expect(got).toHaveLength(33), { timeout: 30_000 });
    expect(JSON.stringify(got)).toContain("it has taken nothing of what it was sent for 50 ms");
    expect(executor.processes[0]?.isOver).toBe(true);
    expect(got.at(-1)).toMatchObject({ result: { by: 2 } });
  });
});

describe("the receipt of a confined server", () => {
  it("names the call that it was started for", async () => {
    const { ask, executor } = connectConfined();
    await ask({ id: 1, method: "tools/list" });
    const _meta = metaOf(IN_ROOT, { threadId: "t", callId: "c" });
    await ask({ id: 2, method: "tools/call", params: { name: "x", _meta } });
    expect(executor.requests.map(({ ids }) => ids)).toEqual([{}, { thread: "t", call: "c" }]);
  });
});
