import { describe, expect, it } from "vitest";
import { advertise, STATE_ALIAS, STATE_KEY, STATE_KEYS, TURN_KEY } from "../../../src/mcp/index.ts";
import { DONE, RawHost, STDIO } from "./support/raw-server.ts";
import { sandboxIn } from "./support/sandboxes.ts";

const call = { name: "look", arguments: { at: 1 } };
const readOnly = () => sandboxIn("read-only");

describe("a server that asks for the sandbox of each call", () => {
  it.each([
    ["experimental", STATE_KEY],
    ["experimental", STATE_ALIAS],
    ["extensions", STATE_KEY],
    ["extensions", STATE_ALIAS],
  ])("is found by %s %s", async (place, key) => {
    const host = new RawHost([{ capabilities: { tools: {}, [place]: { [key]: {} } } }]);
    await expect(host.connection.callForModel(call, readOnly)).resolves.toMatchObject(DONE);
    expect(host.calls).toHaveLength(1);
    expect(host.calls[0]?.params).toMatchObject({
      name: "look",
      arguments: { at: 1 },
      _meta: { [STATE_KEY]: { sandboxCwd: "file:///srv/ws" } },
    });
    await host.connection.close();
  });

  it("is found by what our own library says", async () => {
    const host = new RawHost([{ capabilities: { tools: {}, ...advertise() } }]);
    await expect(host.connection.callForModel(call, readOnly)).resolves.toMatchObject(DONE);
    await host.connection.close();
  });
});

describe("a server that does not ask", () => {
  it.each([
    ["nothing at all", {}],
    ["only tools", { tools: {} }],
    ["an empty list", { tools: {}, experimental: {}, extensions: {} }],
    ["the name in another place", { tools: {}, [STATE_KEY]: {} }],
    ["the launcher alone", { tools: {}, experimental: { "codex/sandbox-launcher": {} } }],
    ["a name that is not quite it", { tools: {}, experimental: { "Codex/sandbox-state": {} } }],
    ["a name under a name", { tools: {}, experimental: { __proto__x: { [STATE_KEY]: {} } } }],
  ])(
    "refuses the model's call to a server that advertises %s, and sends nothing",
    async (_, capabilities) => {
      const host = new RawHost([{ capabilities }]);
      await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
        code: "notOptedIn",
        message: expect.stringContaining("does not ask for the sandbox"),
      });
      expect(host.calls).toEqual([]);
      await host.connection.close();
    },
  );

  it.each([
    ["true", { tools: {}, experimental: { [STATE_KEY]: true } }],
    ["null", { tools: {}, experimental: { [STATE_KEY]: null } }],
    ["a text", { tools: {}, experimental: { [STATE_KEY]: "yes" } }],
    ["a list of names", { tools: {}, experimental: [STATE_KEY] }],
    ["a text of names", { tools: {}, experimental: STATE_KEY }],
    ["capabilities that are none", STATE_KEY],
  ])(
    "does not get on with a server that lies with %s, and sends it no call",
    async (_, capabilities) => {
      const host = new RawHost([{ capabilities }]);
      await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
        code: expect.stringMatching(/^(unreachable|notOptedIn)$/),
      });
      expect(host.calls).toEqual([]);
      await host.connection.close();
    },
  );

  it("does not stand in the way of one that does", async () => {
    const asking = new RawHost([{}]);
    const silent = new RawHost([{ capabilities: { tools: {} } }]);
    const [first, second] = await Promise.allSettled([
      asking.connection.callForModel(call, readOnly),
      silent.connection.callForModel(call, readOnly),
    ]);
    expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
    expect([asking.calls.length, silent.calls.length]).toEqual([1, 0]);
    await Promise.all([asking.connection.close(), silent.connection.close()]);
  });

  it("is told from one that did so on its last connection", async () => {
    const host = new RawHost([{}, { capabilities: { tools: {} } }, {}]);
    await host.connection.callForModel(call, readOnly);
    await host.kill(0);
    await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "notOptedIn",
    });
    expect([host.requests.length, host.calls.length]).toEqual([2, 1]);
    await host.kill(1);
    await host.connection.callForModel(call, readOnly);
    expect([host.requests.length, host.calls.length]).toEqual([3, 2]);
    await host.connection.close();
  });

  it("can be called by a client, and listed", async () => {
    const host = new RawHost([{ capabilities: { tools: {} } }]);
    expect(await host.connection.listTools()).toMatchObject([{ name: "look" }]);
    await expect(host.connection.callForClient(call)).resolves.toMatchObject(DONE);
    await host.connection.close();
  });
});

describe("a call that a client makes", () => {
  it("carries the client's own _meta and nothing of a sandbox", async () => {
    const host = new RawHost([{}]);
    const forged = Object.fromEntries([...STATE_KEYS, TURN_KEY].map((key) => [key, {}]));
    await host.connection.callForClient({ ...call, meta: { ...forged, trace: "1" } });
    await host.connection.callForClient(call);
    expect(host.calls.map(({ params }) => params)).toEqual([
      { ...call, _meta: { trace: "1" } },
      call,
    ]);
    await host.connection.close();
  });

  it("leaves nothing of a sandbox in whatever else is sent", async () => {
    const host = new RawHost([{}]);
    await host.connection.listTools();
    await host.connection.callForModel(call, readOnly);
    const others = host.received.filter(({ method }) => method !== "tools/call");
    expect(others.map(({ method }) => method)).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "tools/list",
    ]);
    expect(JSON.stringify(others)).not.toMatch(/sandbox/);
    await host.connection.close();
  });
});

describe("how a server is started", () => {
  it("says in the receipt of an inheriting server why it has no sandbox", async () => {
    const host = new RawHost([{}]);
    await host.connection.listTools();
    expect(host.requests).toEqual([
      expect.objectContaining({
        argv: ["server", "--flag"],
        cwd: "file:///srv/ws",
        env: { LEVEL: "1" },
        envPolicy: expect.objectContaining({ inherit: "core", ignoreDefaultExcludes: false }),
        pipeStdin: true,
        terminal: null,
        sandbox: {
          kind: "waived",
          by: "config",
          reason: 'MCP server "tested" inherits the sandbox of each call',
        },
        ids: { server: "tested" },
      }),
    ]);
    await host.connection.close();
  });

  it("starts it in its own folder where it has one", async () => {
    const host = new RawHost([{}], { config: { ...STDIO, cwd: "/srv/own" } });
    await host.connection.listTools();
    expect(host.requests[0]?.cwd).toBe("file:///srv/own");
    await host.connection.close();
  });

  it.each(["confine", "inherit"] as const)("has one way to %s", async (sandbox) => {
    const host = new RawHost([{}], { config: { ...STDIO, sandbox } });
    await host.connection.callForModel(call, readOnly);
    expect(host.confined).toHaveLength(sandbox === "confine" ? 1 : 0);
    expect(host.requests).toHaveLength(sandbox === "confine" ? 0 : 1);
    expect(host.calls).toHaveLength(1);
    await host.connection.close();
  });

  it("refuses the model's call also where a confined server does not ask", async () => {
    const config = { ...STDIO, sandbox: "confine" } as const;
    const host = new RawHost([{ capabilities: { tools: {} } }], { config });
    await expect(host.connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "notOptedIn",
    });
    expect(host.calls).toEqual([]);
    await host.connection.close();
  });
});
