import { describe, expect, it } from "vitest";
import { CoreDriver } from "./support/core-driver.ts";
import { A, B, metaOf } from "./support/states.ts";

const call = (id: unknown, state: object) => ({
  id,
  method: "tools/call",
  params: { name: "write", _meta: metaOf(state) },
});

const OURS = {
  experimental: {
    "codex/sandbox-state-meta": { version: "1.0.0" },
    "codex/sandbox-state": { version: "1.0.0" },
  },
  extensions: { "codex/sandbox-state-meta": { version: "1.0.0" } },
};

describe("the capability", () => {
  it.each(["initialize", "server/discover"])(
    "is advertised in the server's place in the result of %s",
    (method) => {
      const driver = new CoreDriver();
      driver.say({ id: 1, method });
      const capabilities = {
        tools: {},
        experimental: { mine: { a: 1 }, "codex/sandbox-state-meta": { version: "9" } },
      };
      driver.reply({ id: 1, result: { serverInfo: { name: "x" }, capabilities, extra: 1 } });
      expect(driver.got()).toEqual([
        {
          jsonrpc: "2.0",
          id: 1,
          result: {
            serverInfo: { name: "x" },
            capabilities: {
              tools: {},
              experimental: { mine: { a: 1 }, ...OURS.experimental },
              extensions: OURS.extensions,
            },
            extra: 1,
          },
        },
      ]);
    },
  );

  it.each([
    ["no capabilities", {}],
    ["capabilities that are no object", { capabilities: [] }],
    ["places that are no objects", { capabilities: { experimental: true, extensions: null } }],
  ])("is advertised for a server with %s", (_, result) => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "initialize" });
    driver.reply({ id: 1, result });
    expect(driver.got()).toMatchObject([{ result: { capabilities: OURS } }]);
  });

  it("is taken away where no state is read", () => {
    const driver = new CoreDriver("explicit");
    driver.say({ id: 1, method: "initialize" });
    driver.reply({ id: 1, result: { capabilities: { tools: {}, ...OURS } } });
    expect(driver.got()).toMatchObject([
      { result: { capabilities: { tools: {}, experimental: {}, extensions: {} } } },
    ]);
  });

  it("does not touch another result, nor an error", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "initialize" });
    driver.say({ id: 2, method: "tools/list" });
    const error = '{"id":1, "error":{"code":-32602,"message":"capabilities"},"jsonrpc":"2.0"}';
    const list = '{"result":{"capabilities":{}},"id":2,  "jsonrpc":"2.0"}';
    driver.reply(error);
    driver.reply(list);
    expect(driver.client).toEqual([error, list]);
  });
});

describe("the handshake", () => {
  it("is repeated for the next process, and its answers go no further", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say({ id: 2, method: "logging/setLevel", params: { level: "debug" } });
    driver.say({ id: 3, method: "resources/subscribe", params: { uri: "a:b" } });
    driver.say({ id: 4, method: "resources/subscribe", params: { uri: "c:d" } });
    for (const id of [2, 3, 4]) driver.reply({ id, result: {} });
    driver.say({ id: 5, method: "resources/unsubscribe", params: { uri: "a:b" } });
    driver.reply({ id: 5, result: {} });
    driver.got();
    driver.say(call(6, A));
    const [hello, ...early] = driver.seen();
    expect(hello).toMatchObject({
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: { roots: {} } },
    });
    expect(early).toEqual([]);
    driver.reply({ id: hello?.id, result: { capabilities: {} } });
    const [initialized, level, subscription, forwarded, ...more] = driver.seen();
    expect(initialized).toMatchObject({ method: "notifications/initialized" });
    expect(level).toMatchObject({ method: "logging/setLevel", params: { level: "debug" } });
    expect(subscription).toMatchObject({ method: "resources/subscribe", params: { uri: "c:d" } });
    expect(forwarded).toMatchObject({ id: 6, method: "tools/call" });
    expect(more).toEqual([]);
    for (const { id } of [level, subscription].filter((one) => one !== undefined)) {
      driver.reply({ id, result: {} });
    }
    expect(driver.got()).toEqual([]);
  });

  it("is not repeated for what the server had refused", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say({ id: 2, method: "logging/setLevel", params: { level: "debug" } });
    driver.reply({ id: 2, error: { code: -32601, message: "no" } });
    driver.say(call(3, A));
    driver.reply({ id: driver.seen()[0]?.id, result: {} });
    expect(driver.seen().map(({ method }) => method)).toEqual([
      "notifications/initialized",
      "tools/call",
    ]);
  });

  it("is not made up in the era that has none", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "server/discover" });
    driver.reply({ id: 1, result: { capabilities: {} } });
    driver.say(call(2, A));
    driver.say(call(3, B));
    expect(driver.seen(2).map(({ id }) => id)).toEqual([2]);
    expect(driver.seen(3).map(({ id }) => id)).toEqual([3]);
  });

  it("begins anew with a client that greets a new process", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.run(driver.core.lost(1, "killed"));
    driver.say({ id: 9, method: "initialize", params: { protocolVersion: "2025-11-25" } });
    expect(driver.seen()).toMatchObject([{ id: 9, method: "initialize" }]);
  });

  it("keeps the order of what comes meanwhile", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say(call(1, A));
    driver.say({ method: "notifications/roots/list_changed" });
    driver.say(call(2, A));
    driver.reply({ id: driver.seen()[0]?.id, result: {} });
    expect(driver.seen().map(({ id, method }) => id ?? method)).toEqual([
      "notifications/initialized",
      1,
      "notifications/roots/list_changed",
      2,
    ]);
  });
});

describe("questions of the server", () => {
  const ask = { id: 0, method: "roots/list" };

  it("reach the client under an id of their own, and the answer comes back under the server's", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.reply(ask);
    const [question] = driver.got();
    expect(question).toEqual({ jsonrpc: "2.0", id: expect.any(String), method: "roots/list" });
    driver.say({ id: question?.id, result: { roots: [] } });
    expect(driver.seen()).toEqual([{ jsonrpc: "2.0", id: 0, result: { roots: [] } }]);
    driver.say({ id: question?.id, result: { roots: ["again"] } });
    expect(driver.seen()).toEqual([]);
  });

  it("are taken back when the process is replaced, and late answers reach nobody", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.reply(ask);
    const [first] = driver.got();
    driver.say(call(2, B));
    expect(driver.got()).toContainEqual(
      expect.objectContaining({
        method: "notifications/cancelled",
        params: { requestId: first?.id, reason: "the sandbox policy changed" },
      }),
    );
    driver.seen();
    driver.reply(ask);
    const [second] = driver.got();
    expect(second?.id).not.toBe(first?.id);
    driver.say({ id: first?.id, result: { roots: ["old"] } });
    expect(driver.seen()).toEqual([]);
    driver.say({ id: second?.id, error: { code: 1, message: "no" } });
    expect(driver.seen()).toMatchObject([{ id: 0, error: { code: 1 } }]);
  });

  it("are answered while a process is being greeted", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say(call(1, A));
    driver.seen();
    driver.reply(ask);
    driver.say({ id: driver.got()[0]?.id, result: { roots: [] } });
    expect(driver.seen()).toMatchObject([{ id: 0 }]);
  });

  it("can be taken back by the server itself", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.reply(ask);
    const [question] = driver.got();
    driver.reply({ method: "notifications/cancelled", params: { requestId: 0, reason: "late" } });
    expect(driver.got()).toMatchObject([{ params: { requestId: question?.id, reason: "late" } }]);
    driver.reply({ method: "notifications/cancelled", params: { requestId: 7 } });
    expect(driver.got()).toEqual([]);
  });
});

describe("a cancellation by the client", () => {
  const cancel = (requestId: unknown) => ({
    method: "notifications/cancelled",
    params: { requestId },
  });

  it("goes to the process that has the request, and nothing comes back", () => {
    const driver = new CoreDriver();
    driver.say(call(1, A));
    driver.seen();
    driver.say(cancel(1));
    expect(driver.seen()).toMatchObject([{ method: "notifications/cancelled" }]);
    driver.reply({ id: 1, result: {} });
    expect(driver.got()).toEqual([]);
  });

  it("settles a request that still waits, which then is never forwarded", () => {
    const driver = new CoreDriver();
    driver.automatic = false;
    driver.say({ id: 1, method: "tools/list" });
    driver.say(call(2, A));
    driver.say(cancel(2));
    driver.run(driver.core.started(1));
    expect(driver.seen().map(({ id }) => id)).toEqual([1]);
    expect(driver.done).toEqual(["start 1 reception"]);
  });

  it("frees whoever comes next from a process that never answers the greeting", () => {
    const driver = new CoreDriver();
    driver.greet();
    driver.say(call(1, A));
    driver.say(cancel(1));
    driver.say({ id: 2, method: "tools/list" });
    expect(driver.done.slice(1)).toEqual(["end 1", "start 2 /ws", "end 2", "start 3 reception"]);
  });

  it("of nothing does nothing, and a greeting is not taken back", () => {
    const driver = new CoreDriver();
    driver.say({ id: 1, method: "initialize" });
    driver.seen();
    for (const id of [1, 7, null, undefined]) driver.say(cancel(id));
    driver.say({ method: "notifications/cancelled" });
    expect(driver.seen()).toEqual([]);
    driver.reply({ id: 1, result: {} });
    expect(driver.got()).toHaveLength(1);
  });
});
