import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { MAX_CONNECTIONS } from "../../../src/cli/app/listen-app.ts";
import { RawWire } from "../../rpc/support/raw-wire.ts";
import { connectTo } from "./support/connect.ts";
import { answerTo, plain, upgrade } from "./support/http.ts";
import { openPort } from "./support/open-door.ts";
import { StandInServer } from "./support/stand-in-server.ts";

const SERVED = { status: 101, body: "" };
const FORBIDDEN = { status: 403, body: "" };
const TOKEN = { "ws-auth": "capability-token", "ws-token-sha256": "0".repeat(64) };

describe("a door on a port", () => {
  it("says on standard error where it is, and nothing on standard output", async () => {
    const { address, err, out } = openPort();
    const [, host] = /^ws:\/\/(127\.0\.0\.1:\d+)$/.exec(await address) ?? [];
    expect(err()).toBe(
      [
        "writ app-server (WebSockets)",
        `  listening on: ws://${host}`,
        `  readyz: http://${host}/readyz`,
        `  healthz: http://${host}/healthz`,
        "  note: without --ws-auth every program on this machine may connect",
        "",
      ].join("\n"),
    );
    expect(out()).toBe("");
  });

  it("brackets an IPv6 address, and says nothing of programs that have no token", async () => {
    const { address, err } = openPort({ ...TOKEN, listen: "ws://[::1]:0" });
    expect(await address).toMatch(/^ws:\/\/\[::1\]:\d+$/);
    expect(err()).toMatch(/ {2}readyz: http:\/\/\[::1\]:\d+\/readyz\n/);
    expect(err()).not.toContain("note:");
  });

  it("tells the server whether its own commands could come back, and what to hide", async () => {
    const open = openPort();
    await open.address;
    expect(open.door()).toMatchObject({ reachable: true, secrets: [] });
    const closed = openPort(TOKEN);
    await closed.address;
    expect(closed.door()).toMatchObject({ reachable: false, secrets: [] });
  });

  it.each(["/readyz", "/healthz"])("answers GET %s without auth", async (path) => {
    const address = await openPort(TOKEN).address;
    expect(await plain(address, `GET ${path}`)).toEqual({ status: 200, body: "" });
    expect(await plain(address, `HEAD ${path}`)).toEqual({ status: 200, body: "" });
    expect(await plain(address, `POST ${path}`)).toMatchObject({ status: 400 });
  });

  it.each(["/", "/else", "/readyz/", "/readyz?x", "//healthz"])(
    "has nothing at %s",
    async (path) => {
      expect(await plain(await openPort().address, `GET ${path}`)).toMatchObject({ status: 400 });
    },
  );

  it.each(["/", "/v2/any/where?x=1", "/readyz"])("upgrades at %s", async (path) => {
    const address = await openPort().address;
    const lines = [
      `GET ${path} HTTP/1.1`,
      "Host: a",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "x-codex-app-server-compression: zstd-stream-v1",
    ];
    expect(await answerTo(address, lines.join("\r\n"))).toEqual(SERVED);
  });

  it.each(["http://evil.example", "http://127.0.0.1", "null", ""])(
    "refuses whatever carries the Origin %j",
    async (origin) => {
      const { address, server } = openPort();
      const at = await address;
      expect(await upgrade(at, `Origin: ${origin}`)).toEqual(FORBIDDEN);
      expect(await plain(at, "GET /readyz", `Origin: ${origin}`)).toEqual(FORBIDDEN);
      expect(await plain(at, "GET /else", `oRIGIN: ${origin}`)).toEqual(FORBIDDEN);
      expect(server.peers).toEqual([]);
    },
  );

  it("drops binary messages and answers those of text", async () => {
    const socket = new WebSocket(await openPort().address);
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    const ask = (id: number) => JSON.stringify({ id, method: "version" });
    socket.send(Buffer.from(ask(1)), { binary: true });
    socket.send(ask(2), { binary: false });
    const [answer] = await once(socket, "message");
    expect(JSON.parse(String(answer))).toMatchObject({ id: 2 });
  });

  it("takes and gives messages past 64 MiB", async () => {
    const wire = new RawWire(await connectTo(await openPort().address));
    const text = "x".repeat(65 * 1024 * 1024);
    await wire.send({ id: 1, method: "echo", params: { text } });
    expect((await wire.nextText()).length).toBeGreaterThan(text.length);
  });

  it("ends a connection that sends a message past 128 MiB, and serves the others", async () => {
    const address = await openPort().address;
    const [wire, other] = [
      new RawWire(await connectTo(address)),
      new RawWire(await connectTo(address)),
    ];
    wire.text("x".repeat(128 * 1024 * 1024 + 1)).catch(() => {});
    await wire.closed;
    expect(await other.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
  });

  it("lets so many in and no more, until one leaves", async () => {
    const { address, server } = openPort();
    const at = await address;
    const wires: RawWire[] = [];
    for (let n = 0; n < MAX_CONNECTIONS; n += 1) wires.push(new RawWire(await connectTo(at)));
    expect(await upgrade(at)).toEqual({ status: 503, body: "Server overloaded; retry later." });
    expect(await plain(at, "GET /readyz")).toMatchObject({ status: 200 });
    wires[0]?.transport.close();
    await server.peers[0]?.settled;
    expect(await upgrade(at)).toEqual(SERVED);
    for (const wire of wires.slice(1)) {
      expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
    }
  });

  it("lets no more in when they all come at once", async () => {
    const { address, server } = openPort();
    const at = await address;
    const come = Array.from({ length: MAX_CONNECTIONS + 40 }, () => connectTo(at));
    const came = await Promise.allSettled(come);
    const wires = came.flatMap((one) =>
      one.status === "fulfilled" ? [new RawWire(one.value)] : [],
    );
    expect(server.peers.length).toBeLessThanOrEqual(MAX_CONNECTIONS);
    await Promise.all(
      wires.map((wire) => Promise.race([wire.ask({ id: 1, method: "version" }), wire.closed])),
    );
    expect(server.peers.length).toBe(MAX_CONNECTIONS);
  });
});

describe("the end of a server on a port", () => {
  it("lets nobody in while what runs comes to its end, and then ends with 0", async () => {
    const closing = Promise.withResolvers<void>();
    class Slow extends StandInServer {
      override async close() {
        await closing.promise;
        await super.close();
      }
    }
    const { address, server, stop, status } = openPort({}, { server: new Slow() });
    const at = await address;
    const wire = new RawWire(await connectTo(at));
    expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
    stop();
    await new Promise(setImmediate);
    expect(await upgrade(at)).toEqual({ status: 503, body: "the server is ending" });
    expect(await plain(at, "GET /readyz")).toMatchObject({ status: 503 });
    expect(await wire.ask({ id: 2, method: "version" })).toMatchObject({ id: 2 });
    closing.resolve();
    expect(await status).toBe(0);
    expect(server.closed).toBe(1);
    await wire.closed;
  });

  it("is exit status 1 and a sentence when the port is taken", async () => {
    const first = await openPort().address;
    const second = openPort({ listen: first });
    expect(await second.status).toBe(1);
    expect(second.err()).toMatch(/^writ: Cannot listen on "ws:.*EADDRINUSE/);
    expect(second.server.closed).toBe(1);
  });
});
