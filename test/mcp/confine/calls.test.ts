import { describe, expect, it } from "vitest";
import { CoreDriver } from "./support/core-driver.ts";
import { A, B, metaOf, RECEPTION } from "./support/states.ts";

const call = (id: unknown, state?: object, rest: object = {}) => ({
  id,
  method: "tools/call",
  params: { name: "write", ...rest, ...(state && { _meta: metaOf(state) }) },
});

const textOf = (message: Record<string, unknown> | undefined) =>
  JSON.stringify(message?.result ?? message?.error);

describe("a confined server", () => {
  it("is not started before the first request", () => {
    const driver = new CoreDriver();
    driver.say({ method: "notifications/initialized" });
    expect(driver.done).toEqual([]);
  });

  it("starts with next to no rights for whatever is no tool call", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "tools/list" });
    expect(driver.done).toEqual(["start 1 reception"]);
    expect(driver.seen()).toEqual([{ jsonrpc: "2.0", id: 1, method: "tools/list" }]);
  });

  it.each([
    ["no state", call(1), "came without sandbox state"],
    ["no params", { id: 1, method: "tools/call" }, "came without sandbox state"],
    [
      "params that are a list",
      { id: 1, method: "tools/call", params: [A] },
      "without sandbox state",
    ],
    ["a state that is no object", call(1, "read-only" as never), "Cannot run this call"],
    ["a state without a policy", call(1, { sandboxCwd: "file:///ws" }), "permissionProfile"],
  ])("refuses a call with %s, and forwards nothing", (_, message, sentence) => {
    const driver = new CoreDriver();
    driver.say(message);
    const [answer, ...more] = driver.got();
    expect(more).toEqual([]);
    expect(answer).toMatchObject({ id: 1, result: { isError: true } });
    expect(textOf(answer)).toContain(sentence);
    expect(driver.done).toEqual([]);
  });

  it("refuses a call without state beside a process that could serve it", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.seen();
    driver.say(call(2));
    expect(driver.seen()).toEqual([]);
    expect(driver.got()).toMatchObject([{ id: 2, result: { isError: true } }]);
  });

  it("does not take a state that lies among the arguments", () => {
    const driver = new CoreDriver();
    driver.say(call(1, undefined, { arguments: { _meta: metaOf(A), ...metaOf(A) } }));
    expect(driver.got()).toMatchObject([{ id: 1, result: { isError: true } }]);
    driver.say(call(2, A, { arguments: metaOf(B) }));
    expect(driver.done).toEqual(["start 1 /ws"]);
    expect(driver.seen()).toMatchObject([{ id: 2, params: { arguments: metaOf(B) } }]);
  });

  it("forwards calls of one state to one process", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.say(call(2, A));
    expect(driver.done).toEqual(["start 1 /ws"]);
    expect(driver.seen()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it("serves a call with the process that was started for less, where it asks for no more", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say(call(1, RECEPTION));
    expect(driver.done).toEqual(["start 1 reception"]);
    expect(driver.seen()).toMatchObject([{ id: 1 }]);
  });

  it("replaces the process for a call under another state, which the old one never sees", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.reply({ id: 1, result: {} });
    driver.say(call(2, B));
    expect(driver.done).toEqual(["start 1 /ws", "end 1", "start 2 /other"]);
    expect(driver.seen(1).map(({ id }) => id)).toEqual([1]);
    expect(driver.seen(2).map(({ id }) => id)).toEqual([2]);
  });

  it("starts the next process only when the last one is gone", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.automatic = false;
    driver.say(call(2, B));
    expect(driver.done).toEqual(["start 1 /ws", "end 1"]);
    driver.run(driver.core.gone(1));
    expect(driver.done).toEqual(["start 1 /ws", "end 1", "start 2 /other"]);
    expect(driver.seen(2)).toEqual([]);
    driver.run(driver.core.started(2));
    expect(driver.seen(2)).toMatchObject([{ id: 2 }]);
  });

  it("answers what was in flight when the state changes", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.say({ id: "two", method: "resources/list" });
    driver.say(call(3, B));
    const [first, second, ...more] = driver.got();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ id: 1, result: { isError: true } });
    expect(textOf(first)).toContain(
      "the sandbox policy changed; whether it took effect is unknown",
    );
    expect(second).toMatchObject({ id: "two", error: { code: -32000 } });
  });

  it("takes calls that come together in their order, each under its own state", () => {
    const driver = new CoreDriver();
    driver.automatic = false;
    driver.say(call(1, A));
    driver.say(call(2, B));
    driver.say(call(3, A));
    driver.automatic = true;
    driver.run(driver.core.started(1));
    expect(driver.done).toEqual([
      ...["start 1 /ws", "end 1", "start 2 /other"],
      ...["end 2", "start 3 /ws"],
    ]);
    expect([1, 2, 3].map((one) => driver.seen(one).map(({ id }) => id))).toEqual([[1], [2], [3]]);
  });

  it("drops what a process says on its way out", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.automatic = false;
    driver.say(call(2, B));
    driver.got();
    driver.reply({ id: 1, result: { late: true } }, 1);
    driver.reply({ method: "notifications/message", params: {} }, 1);
    expect(driver.client).toEqual([]);
  });

  it("judges a call once, so that what its own start changes cannot start it again", () => {
    const driver = new CoreDriver();
    driver.keyOf = () => `key ${driver.done.length}`;
    driver.say(call(1, A));
    expect(driver.done).toEqual(["start 1 /ws"]);
    expect(driver.seen()).toMatchObject([{ id: 1 }]);
  });

  it("reads no state where one policy holds for all, and hands none on", () => {
    const driver = new CoreDriver("explicit");
    driver.say(call(1, A));
    driver.say(call(2, B));
    driver.say(call(3));
    expect(driver.done).toEqual(["start 1 reception"]);
    expect(driver.seen()).toEqual([1, 2, 3].map((id) => expect.objectContaining({ id })));
    expect(JSON.stringify(driver.got())).not.toContain("sandbox-state");
  });

  it("is told that an answer for a modern client is complete", () => {
    const driver = new CoreDriver();
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    driver.say({ id: 1, method: "tools/call", params: { name: "x", _meta } });
    expect(driver.got()).toMatchObject([{ result: { resultType: "complete", isError: true } }]);
  });
});

describe("a server that cannot be had", () => {
  it("answers the request that wanted it, and goes on with the next", () => {
    const driver = new CoreDriver();
    driver.automatic = false;
    driver.say({ id: 1, method: "tools/list" });
    driver.say(call(2, A));
    driver.run(driver.core.notStarted(1, "Cannot start: no such program"));
    expect(driver.got()).toMatchObject([{ id: 1, error: { message: /no such program/ } }]);
    expect(driver.done).toEqual(["start 1 reception", "start 2 /ws"]);
    driver.run(driver.core.notStarted(2, "Cannot start: no such program"));
    expect(driver.got()).toMatchObject([{ id: 2, result: { isError: true } }]);
    expect(driver.core.isQuiet).toBe(true);
  });

  it("says its last words when it dies, and sends nothing twice", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.run(driver.core.lost(1, "the process exited with status 1", "no such module"));
    const [answer] = driver.got();
    expect(textOf(answer)).toContain("status 1; whether it took effect is unknown");
    expect(textOf(answer)).toContain("no such module");
    expect(driver.done).toEqual(["start 1 /ws", "end 1"]);
    expect(driver.seen().map(({ id }) => id)).toEqual([1]);
  });

  it("is started again under the state of the next call, never under the last one", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.run(driver.core.lost(1, "killed"));
    driver.say({ id: 2, method: "tools/list" });
    expect(driver.done.at(-1)).toBe("start 2 reception");
    driver.run(driver.core.lost(2, "killed"));
    driver.say(call(3));
    expect(driver.done.at(-1)).toBe("end 2");
    driver.say(call(4, B));
    expect(driver.done.at(-1)).toBe("start 3 /other");
  });

  it("dies during the handshake without a loop", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say(call(1, A));
    driver.run(driver.core.lost(2, "status 1", "boom"));
    expect(textOf(driver.got()[0])).toContain("Cannot start the server: status 1. It last said:");
    expect(driver.done).toEqual(["start 1 reception", "end 1", "start 2 /ws", "end 2"]);
  });

  it("refuses the handshake", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say(call(1, A));
    const [hello] = driver.seen();
    driver.reply({ id: hello?.id, error: { code: -32603, message: "not twice" } });
    expect(textOf(driver.got()[0])).toContain("not twice");
    expect(driver.done.at(-1)).toBe("end 2");
  });
});
