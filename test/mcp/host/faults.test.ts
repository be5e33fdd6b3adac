import { describe, expect, it, vi } from "vitest";
import { McpConnection } from "../../../src/mcp/host/mcp-connection.ts";
import { createMemoryPair, type Transport } from "../../../src/rpc/index.ts";
import {
  ASKING,
  DONE,
  fail,
  type Message,
  optionsFor,
  RawHost,
  reply,
  type Script,
  STDIO,
} from "./support/raw-server.ts";
import { sandboxIn } from "./support/sandboxes.ts";

const call = { name: "look" };
const readOnly = () => sandboxIn("read-only");

/** The same transport as a plain object. */
function facade(transport: Transport): Transport {
  return {
    kind: transport.kind,
    label: transport.label,
    open: (receiver) => transport.open(receiver),
    send: (text) => transport.send(text),
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: (reason) => transport.close(reason),
  };
}

const tick = () => new Promise((done) => setImmediate(done));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await tick();
}

const named = (host: RawHost, name: string) =>
  host.received.filter(({ method }) => method === name);

describe("a server that dies", () => {
  it("leaves the outcome of a call unknown, and nobody sends it again", async () => {
    const host = new RawHost([{ call: (process) => process.exit(1) }, {}]);
    await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "outcomeUnknown",
      message: expect.stringContaining("it is not sent again"),
    });
    expect([host.requests.length, host.calls.length]).toEqual([1, 1]);
    await host.connection.callForModel({ name: "other" }, readOnly);
    expect(host.calls.map(({ params }) => params?.name)).toEqual(["look", "other"]);
    expect(host.requests).toHaveLength(2);
    await host.connection.close();
  });

  it("takes all calls under way with it, and none of them comes back", async () => {
    const host = new RawHost([{ call: () => {} }, {}]);
    const calls = Array.from({ length: 5 }, () => host.connection.callForModel(call, readOnly));
    const outcomes = Promise.allSettled(calls);
    await until(() => host.calls.length === 5);
    await host.kill(0);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "outcomeUnknown" } });
    }
    await host.connection.listTools();
    expect(host.calls).toHaveLength(5);
    await host.connection.close();
  });

  it("is started once for all who come after it", async () => {
    const host = new RawHost([{}]);
    await host.connection.callForModel(call, readOnly);
    await host.kill(0);
    await Promise.all(
      Array.from({ length: 8 }, () => host.connection.callForModel(call, readOnly)),
    );
    expect([host.requests.length, host.calls.length]).toEqual([2, 9]);
    await host.connection.close();
  });

  it("is tried again by the next call where it could not be started", async () => {
    let starts = 0;
    const connection = new McpConnection({
      ...optionsFor({ ...STDIO, sandbox: "confine" }),
      confine: () => {
        starts += 1;
        throw new Error("no such program");
      },
    });
    const refused = { code: "unreachable", message: expect.stringContaining("no such program") };
    await expect(connection.callForModel(call, readOnly)).rejects.toMatchObject(refused);
    await expect(connection.listTools()).rejects.toMatchObject(refused);
    expect(starts).toBe(2);
  });

  it("before it has said hello is out of reach, in both eras", async () => {
    const host = new RawHost([{ discover: (process) => process.exit(3) }]);
    const exits = new RawHost([{ discover: (process) => process.exit(3), capabilities: "none" }]);
    await expect(exits.connection.listTools()).rejects.toMatchObject({ code: "unreachable" });
    // One start to ask for the era, one more for the older handshake, which it answers.
    await host.connection.callForModel(call, readOnly);
    expect(host.requests).toHaveLength(2);
    await Promise.all([host.connection.close(), exits.connection.close()]);
  });
});

describe("a server that stays silent", () => {
  it("when asked for its era is taken for an older one", async () => {
    const config = { ...STDIO, startupTimeoutMs: 2_000 };
    const host = new RawHost([{ discover: () => {} }], { config });
    await host.connection.callForModel(call, readOnly);
    expect(host.requests).toHaveLength(1);
    expect(named(host, "initialize")).toHaveLength(1);
    await host.connection.close();
  });

  it("on a call is told that nobody waits any longer", async () => {
    const host = new RawHost([{ call: () => {} }]);
    const options = { timeout: 20 };
    await expect(host.connection.callForModel(call, readOnly, options)).rejects.toMatchObject({
      code: "timedOut",
    });
    await until(() => named(host, "notifications/cancelled").length === 1);
    expect(named(host, "notifications/cancelled")[0]?.params).toMatchObject({
      requestId: host.calls[0]?.id,
    });
    expect(host.calls).toHaveLength(1);
    await host.connection.close();
  });

  it("is waited for as long as it was configured", async () => {
    const config = { ...STDIO, toolTimeoutMs: 20 };
    const host = new RawHost([{ call: () => {} }], { config });
    await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "timedOut",
    });
    await host.connection.close();
  });
});

describe("a caller that gives up", () => {
  it("has its call cancelled at the server", async () => {
    const host = new RawHost([{ call: () => {} }]);
    const abort = new AbortController();
    const result = host.connection.callForModel(call, readOnly, { signal: abort.signal });
    const outcome = expect(result).rejects.toMatchObject({ code: "cancelled" });
    await until(() => host.calls.length === 1);
    abort.abort(new Error("enough"));
    await outcome;
    await until(() => named(host, "notifications/cancelled").length === 1);
    expect(named(host, "notifications/cancelled")[0]?.params).toMatchObject({
      requestId: host.calls[0]?.id,
    });
    await host.connection.close();
  });

  it.each(["first", "second"])(
    "as the %s, before the server stands, sends nothing",
    async (which) => {
      const host = new RawHost([{}]);
      const { promise, resolve } = Promise.withResolvers<void>();
      host.gate = promise;
      const abort = new AbortController();
      const others = () => host.connection.callForModel({ name: "other" }, readOnly);
      const before = which === "second" ? others() : undefined;
      const given = host.connection.callForModel(call, readOnly, { signal: abort.signal });
      const outcome = expect(given).rejects.toMatchObject({ code: "cancelled" });
      // The server is left to the other one.
      const other = before ?? others();
      abort.abort();
      await outcome;
      resolve();
      await other;
      expect(host.calls.map(({ params }) => params?.name)).toEqual(["other"]);
      await host.connection.close();
    },
  );

  it("from the start sends nothing", async () => {
    const host = new RawHost([{}]);
    await host.connection.listTools();
    const options = { signal: AbortSignal.abort() };
    await expect(host.connection.callForModel(call, readOnly, options)).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(host.calls).toEqual([]);
    await host.connection.close();
  });
});

describe("a server that answers strangely", () => {
  it("with an error is not taken for broken", async () => {
    const host = new RawHost([{ call: (process, message) => fail(process, message, -32602) }]);
    for (const _ of [1, 2]) {
      await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
        code: "refused",
      });
    }
    expect([host.requests.length, host.calls.length]).toEqual([1, 2]);
    await host.connection.close();
  });

  it("with an error of any length is quoted with as much as anybody reads", async () => {
    const message = `no: ${"x".repeat(5_000_000)}`;
    const refuse: Script["call"] = (process, { id }) =>
      process.say(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } })}\n`);
    const host = new RawHost([{ call: refuse }]);
    const refused = await host.connection.callForModel(call, readOnly).catch(String);
    expect(refused).toContain("the server answered with an error: no: xxx");
    expect(refused).toContain("… (5000004 characters)");
    expect(refused.length).toBeLessThan(5000);
    await host.connection.close();
  });

  it("with what is no result is told apart from a result", async () => {
    const host = new RawHost([
      { call: (process, message) => reply(process, message, { content: "none" }) },
    ]);
    await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "badAnswer",
      message: expect.stringMatching(/its answer cannot be read: [^\n[]+$/),
    });
    await host.connection.close();
  });

  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;

  it.each([
    ["is nested too deeply", `{"content":[],"structuredContent":{"a":${deep}}}`],
    ["has too many values", `{"content":[],"structuredContent":{"a":[${"0,".repeat(300_000)}0]}}`],
    ["says something twice", '{"content":[],"content":[]}'],
  ])("with what %s fails the call at once, and the next one is served", async (_, result) => {
    const unreadable: Script["call"] = (process, { id, params }) => {
      const isFirst = params?.name === call.name;
      process.say(
        `{"jsonrpc":"2.0","id":${id},"result":${isFirst ? result : JSON.stringify(DONE)}}\n`,
      );
    };
    const host = new RawHost([{ call: unreadable }]);
    await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "badAnswer",
      message: expect.stringContaining("its answer cannot be read: Cannot read JSON"),
    });
    await host.connection.callForModel({ name: "other" }, readOnly);
    expect(host.requests).toHaveLength(1);
    await host.connection.close();
  });

  it("with lines that are no messages is heard all the same", async () => {
    const noise = (process: { say(text: string): void }, message: Message) => {
      process.say('hello\n{"jsonrpc":"2.0"}\n[]\nnull\n{"jsonrpc":"2.0","id":99,"result":{}}\n');
      reply(process as never, message, DONE);
    };
    const host = new RawHost([{ call: noise }]);
    await expect(host.connection.callForModel(call, readOnly)).resolves.toMatchObject(DONE);
    await host.connection.close();
  });

  it("to nothing but other tools is heard of", async () => {
    const host = new RawHost([{ capabilities: { ...ASKING, tools: { listChanged: true } } }]);
    await host.connection.listTools();
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    host.processes[0]?.say(`${JSON.stringify(changed)}\n`);
    await until(() => host.toolsChanged === 1);
    await host.connection.close();
  });

  it("without tools has none, and is not asked for them", async () => {
    const host = new RawHost([{ capabilities: {} }]);
    const debug = vi.spyOn(console, "debug");
    expect(await host.connection.listTools()).toEqual([]);
    expect(named(host, "tools/list")).toEqual([]);
    // The SDK would print to stdout, which may be a wire.
    expect(debug).not.toHaveBeenCalled();
    debug.mockRestore();
    await host.connection.close();
  });
});

describe("a connection that is closed", () => {
  it("ends its server, also one that does not leave by itself", async () => {
    const host = new RawHost([{}]);
    await host.connection.listTools();
    await host.connection.close();
    expect(host.processes[0]?.done).toContain("closeInput");
    await until(() => host.processes[0]?.isOver === true);
    const stubborn = new RawHost([{ polite: false }]);
    await stubborn.connection.listTools();
    const [process] = stubborn.processes;
    await stubborn.connection.close();
    await until(() => process?.isOver === true);
    expect(process?.done).toContain("terminate");
  });

  it("is not closed before its server is over", async () => {
    let starts = 0;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const [near, far] = createMemoryPair();
    far.open({ message: () => {}, closed: () => {} });
    const connection = new McpConnection({
      ...optionsFor({ ...STDIO, sandbox: "confine" }),
      confine: () => {
        starts += 1;
        return { ...facade(near), over, receiptId: null };
      },
    });
    const listed = expect(connection.listTools()).rejects.toMatchObject({ code: "closed" });
    await tick();
    let closed = false;
    const closing = connection.close().then(() => {
      closed = true;
    });
    for (const _ of Array(20)) await tick();
    expect(closed).toBe(false);
    resolve();
    await Promise.all([closing, listed]);
    expect(starts).toBe(1);
  });

  it("takes no more calls", async () => {
    const host = new RawHost([{}]);
    await host.connection.listTools();
    await host.connection.close();
    await host.connection.close();
    for (const late of [
      host.connection.callForModel(call, readOnly),
      host.connection.callForClient(call),
      host.connection.listTools(),
    ]) {
      await expect(late).rejects.toMatchObject({ code: "closed" });
    }
    expect(host.requests).toHaveLength(1);
  });

  it("leaves the outcome of what was under way unknown", async () => {
    const host = new RawHost([{ call: () => {} }]);
    const result = host.connection.callForModel(call, readOnly);
    const outcome = expect(result).rejects.toMatchObject({ code: "outcomeUnknown" });
    await until(() => host.calls.length === 1);
    await host.connection.close();
    await outcome;
  });

  it("while its server starts leaves no server behind", async () => {
    const host = new RawHost([{ polite: false }]);
    const { promise, resolve } = Promise.withResolvers<void>();
    host.gate = promise;
    const result = host.connection.callForModel(call, readOnly);
    const outcome = expect(result).rejects.toMatchObject({ code: "closed" });
    await until(() => host.requests.length === 1);
    const closing = host.connection.close();
    resolve();
    await Promise.all([closing, outcome]);
    await until(() => host.processes[0]?.isOver === true);
    expect(host.received).toEqual([]);
  });
});
