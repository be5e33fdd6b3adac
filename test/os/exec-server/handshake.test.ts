/** Cases 1-6 and 10-19: how a connection begins, what may be said on it, and what ends it. */
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { sharedLab, startLab, WAYS } from "./support/exec-lab.ts";
import { until, type WireClient } from "./support/wire-client.ts";
import { printed, startOf } from "./support/wire-process.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ERROR = (code: number, message: RegExp | string) => ({
  code,
  message: typeof message === "string" ? message : expect.stringMatching(message),
});

describe.each(WAYS)("over %s", (over) => {
  const lab = sharedLab({ over });

  it("1 gives a session a UUID, and says what it enforces", async () => {
    const client = await lab().connect();
    const answer = await client.call("initialize", { clientName: "test", resumeSessionId: null });
    expect(answer).toMatchObject({
      sessionId: expect.stringMatching(UUID),
      environmentInfo: { shell: { name: "bash", path: "/bin/bash" }, platformOs: "linux" },
      writ: { version: 1, enforces: true },
    });
  });

  it.each([
    ["process/read", { processId: "p" }, "exec"],
    ["fs/readFile", { path: "file:///etc/hostname" }, "filesystem"],
    ["http/request", { method: "GET", url: "http://127.0.0.1:1/", requestId: "r" }, "http"],
    ["environment/info", undefined, "environment info"],
    ["environment/status", undefined, "environment status"],
  ])("2 refuses %s before each half of the handshake", async (method, params, family) => {
    const client = await lab().connect();
    const before = await client.tryCall(method, params);
    expect(before.error).toEqual(
      ERROR(-32600, `client must call initialize before using ${family} methods`),
    );
    await client.call("initialize", { clientName: "test" });
    const between = await client.tryCall(method, params);
    expect(between.error).toEqual(
      ERROR(-32600, `client must send initialized before using ${family} methods`),
    );
  });

  it("3 keeps the order of what is sent at once around the handshake", async () => {
    const client = await lab().connect();
    const early = client.tryCall("environment/status");
    const hello = client.tryCall("initialize", { clientName: "test" });
    const between = client.tryCall("environment/status");
    client.notify("initialized");
    const after = client.tryCall("environment/status");
    expect((await early).error?.message).toMatch(/must call initialize/);
    expect((await hello).result).toMatchObject({ sessionId: expect.stringMatching(UUID) });
    expect((await between).error?.message).toMatch(/must send initialized/);
    expect((await after).result).toEqual({ status: "ready" });
  });

  it("3 closes when initialized comes first, and bears a second one", async () => {
    const client = await lab().client();
    client.notify("initialized");
    expect(await client.call("environment/status")).toEqual({ status: "ready" });

    const rude = await lab().connect();
    rude.notify("initialized");
    await rude.link.closed;
  });

  it("4 refuses a second initialize and stays usable", async () => {
    const client = await lab().client();
    const { error } = await client.tryCall("initialize", { clientName: "test" });
    expect(error).toEqual(ERROR(-32600, "initialize may only be sent once per connection"));
    expect(await client.call("environment/status")).toEqual({ status: "ready" });
  });

  it("5 takes a fresh initialize after one that failed", async () => {
    const client = await lab().connect();
    const resumeSessionId = "5a6a2c5c-0000-4000-8000-000000000000";
    const { error } = await client.tryCall("initialize", { clientName: "test", resumeSessionId });
    expect(error).toEqual(ERROR(-32600, `unknown session id ${resumeSessionId}`));
    expect(await client.open()).toMatch(UUID);
  });

  const prefix =
    over === "ws"
      ? /^failed to parse websocket JSON-RPC message from exec-server websocket 127\.0\.0\.1:\d+: /
      : /^failed to parse JSON-RPC message from exec-server stdio: /;

  it.each([
    ["6 no JSON", "{nope"],
    ["6 an array", "[]"],
    ["6 a number", "7"],
    ["6 neither method nor result", '{"id":1}'],
    ["6 a null id", '{"id":null,"method":"environment/status"}'],
    ["6 an id that is no integer", '{"id":1.5,"method":"environment/status"}'],
    ["13 a key twice", '{"id":1,"method":"environment/status","method":"process/start"}'],
    ["13 a key twice deep down", '{"id":1,"method":"x","params":{"a":[{"b":1,"b":2}]}}'],
    ["14 too many values", `{"id":1,"method":"x","params":[${"0,".repeat(262_144)}0]}`],
  ])("%s is answered with id -1, and the connection stays", async (_, text) => {
    const client = await lab().client();
    client.raw(text);
    expect((await client.reply(-1)).error).toEqual(ERROR(-32600, prefix));
    expect(await client.call("environment/status")).toEqual({ status: "ready" });
  });

  it("14 takes one long string", async () => {
    const client = await lab().client();
    const answer = await client.tryCall("fs/getMetadata", {
      path: "file:///var/tmp",
      more: "x".repeat(4 << 20),
    });
    expect(answer.result).toMatchObject({ isDirectory: true });
  });

  it("10 refuses an unknown method by its name", async () => {
    const client = await lab().client();
    const { error } = await client.tryCall("process/fly", {});
    expect(error).toEqual(ERROR(-32601, "exec-server stub does not implement `process/fly` yet"));
  });

  it.each([
    ["11 an unknown notification", '{"method":"process/fly"}'],
    ["12 a result for no request", '{"id":99,"result":{}}'],
    ["12 an error for no request", '{"id":99,"error":{"code":-1,"message":"no"}}'],
  ])("%s closes without a word", async (_, text) => {
    const client = await lab().open();
    client.raw(text);
    await client.link.closed;
    expect(client.notes).toEqual([]);
  });

  it("15 echoes ids as they came", async () => {
    const client = await lab().client();
    for (const id of ["a string", "", -5, 0, Number.MAX_SAFE_INTEGER]) {
      client.raw(JSON.stringify({ jsonrpc: "2.0", id, method: "environment/status", more: 1 }));
      expect(await client.reply(id)).toEqual({ id, result: { status: "ready" } });
    }
  });

  it("16 takes absent, null and {} for no params, and nothing else", async () => {
    const client = await lab().client();
    for (const params of [undefined, null, {}]) {
      expect(await client.call("environment/status", params)).toEqual({ status: "ready" });
    }
    for (const params of [[], { a: 1 }]) {
      const { error } = await client.tryCall("environment/status", params);
      expect(error).toEqual(ERROR(-32602, /^invalid type: .*, expected unit$/));
    }
  });

  it("17 answers every one of many requests sent at once", async () => {
    const client = await lab().client();
    const asked = Array.from({ length: 500 }, () => client.call("environment/status"));
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(
      new Set(["ready"]),
    );
  });
});

it("7 reads a binary message like a text, and answers with a text", async () => {
  const client = await (await startLab()).open();
  client.raw(Buffer.from('{"id":7,"method":"environment/status"}'));
  expect((await client.reply(7)).result).toEqual({ status: "ready" });
});

it("8, 9 gives a browser nothing and a probe an empty 200", async () => {
  const { url } = await startLab();
  const at = (path: string) => url.replace("ws:", "http:") + path;
  const origin = { headers: { origin: "http://127.0.0.1" } };
  expect((await fetch(at("/"), origin)).status).toBe(403);
  expect((await fetch(at("/readyz"), origin)).status).toBe(403);
  const ready = await fetch(at("/readyz"));
  expect([ready.status, await ready.text()]).toEqual([200, ""]);
  expect((await fetch(at("/"))).status).toBe(400);
  expect((await fetch(at("/healthz"))).status).toBe(404);
  const elsewhere = new WebSocket(`${url}/elsewhere`);
  const [error] = await once(elsewhere, "error");
  expect(error.message).toContain("404");
});

describe("18 stdio", () => {
  it("takes lines that end either way and passes over blank ones", async () => {
    const client = await (await startLab({ over: "stdio" })).open();
    client.raw('\n\r\n{"id":1001,"method":"environment/status"}\r');
    expect((await client.reply(1001)).result).toEqual({ status: "ready" });
  });

  it("prints nothing but the protocol", async () => {
    const lab = await startLab({ over: "stdio" });
    const client = await lab.open();
    await client.call("environment/status");
    expect([client.notes, lab.errors()]).toEqual([[], ""]);
  });
});

describe("19 the end of the input", () => {
  it("ends what runs, and what that started, and exits with 0", async () => {
    const lab = await startLab({ over: "stdio" });
    const client = await lab.open();
    const pids = await sleepers(client, lab.place.workspace);
    const exit = once(lab.server, "exit");
    client.link.cut();
    expect(await exit).toEqual([0, null]);
    await until("its processes are gone", () => pids.every((pid) => !isAlive(pid)));
  });

  it("exits with 0 also where nobody reads what it wrote", async () => {
    const lab = await startLab({ over: "stdio" });
    const client = await lab.open();
    const { stdout } = lab.server;
    for (const event of ["data", "end"]) stdout?.removeAllListeners(event);
    stdout?.pause();
    const filled = path.join(lab.place.workspace, "filled");
    const much = `head -c 4000000 /dev/zero & sleep 1; touch ${filled}; wait`;
    client.link.send(
      JSON.stringify({
        id: 9,
        method: "process/start",
        params: startOf(lab.place.workspace, much),
      }),
    );
    await until("its output is full", () => fs.existsSync(filled));
    const exit = once(lab.server, "exit");
    client.link.cut();
    expect(await exit).toEqual([0, null]);
  });
});

/** Starts a process with a child that ignores requests to stop, and gives the ids of both. */
async function sleepers(client: WireClient, cwd: string): Promise<number[]> {
  const start = startOf(cwd, "trap '' TERM; sleep 600 & echo $$ $! ready; wait");
  await client.call("process/start", start);
  await printed(client, start.processId, "ready");
  const { chunk = "" } = (await client.waitNote("process/output")).params;
  return String(Buffer.from(chunk, "base64")).split(" ").slice(0, 2).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
