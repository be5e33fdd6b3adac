import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it } from "vitest";
import type { LinkOptions } from "../../../src/mcp/host/link.ts";
import { McpConnection } from "../../../src/mcp/host/mcp-connection.ts";
import type { HttpServer } from "../../../src/mcp/host/server-config.ts";
import { advertise, readMetaState, STATE_KEY } from "../../../src/mcp/index.ts";
import { DONE, optionsFor } from "./support/raw-server.ts";
import { sandboxIn } from "./support/sandboxes.ts";
import { type HttpEnd, lookServer, serveHttp } from "./support/sdk-servers.ts";

const call = { name: "look" };
const readOnly = () => sandboxIn("read-only");
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(handler: (request: Request) => Promise<Response>): Promise<HttpEnd> {
  const end = await serveHttp(handler);
  open.push(end);
  return end;
}

function connect(url: string, more: Partial<HttpServer> = {}, options: Partial<LinkOptions> = {}) {
  const config: HttpServer = {
    kind: "http",
    url,
    sandbox: "inherit",
    startupTimeoutMs: 30_000,
    toolTimeoutMs: 30_000,
    ...more,
  };
  const connection = new McpConnection({ ...optionsFor(config), ...options });
  // Before the server, whose streams it holds.
  open.unshift(connection);
  return connection;
}

/** A server of the handshake that keeps sessions, and can forget them. */
function sessions(seen: (meta: unknown) => unknown, capabilities?: object) {
  const known = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const handle = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const transport = known.get(id);
      if (transport !== undefined) return transport.handleRequest(request);
      return Response.json(
        { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null },
        { status: 404 },
      );
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        known.set(session, transport);
      },
    });
    await lookServer(seen, capabilities).connect(transport);
    return transport.handleRequest(request);
  };
  return { known, handle };
}

const posted = ({ requests }: HttpEnd, method: string) =>
  requests.filter(({ body }) => body !== "" && JSON.parse(body).method === method);

describe("a server over HTTP", () => {
  it("with sessions gets the state of each call", async () => {
    const metas: unknown[] = [];
    const end = await serve(sessions((meta) => metas.push(meta)).handle);
    const connection = connect(end.url);
    expect(await connection.listTools()).toMatchObject([{ name: "look" }]);
    await expect(connection.callForModel(call, readOnly)).resolves.toMatchObject(DONE);
    expect(readMetaState(metas[0])).toMatchObject({ kind: "state" });
    expect(posted(end, "tools/call")[0]?.headers.get("mcp-session-id")).toMatch(/./);
    await connection.close();
    expect(end.requests.some(({ method }) => method === "DELETE")).toBe(true);
  });

  it.each([
    ["2026-07-28", "reject"],
    ["both eras", "stateless"],
  ] as const)("without sessions, of %s, gets the state of each call", async (_, legacy) => {
    const metas: unknown[] = [];
    const handler = createMcpHandler(() => lookServer((meta) => metas.push(meta)), { legacy });
    const end = await serve((request) => handler.fetch(request));
    const connection = connect(end.url);
    await expect(connection.callForModel(call, readOnly)).resolves.toMatchObject(DONE);
    await expect(connection.callForClient(call)).resolves.toMatchObject(DONE);
    expect(readMetaState(metas[0])).toMatchObject({ kind: "state" });
    expect(JSON.stringify(metas[1] ?? {})).not.toContain(STATE_KEY);
    expect(posted(end, "initialize")).toEqual([]);
    await handler.close();
  });

  it("without sessions, of the handshake alone, gets the state of each call", async () => {
    const metas: unknown[] = [];
    const end = await serve(async (request) => {
      const transport = new WebStandardStreamableHTTPServerTransport({});
      await lookServer((meta) => metas.push(meta)).connect(transport);
      return transport.handleRequest(request);
    });
    const connection = connect(end.url);
    await expect(connection.callForModel(call, readOnly)).resolves.toMatchObject(DONE);
    expect(readMetaState(metas[0])).toMatchObject({ kind: "state" });
    expect(posted(end, "initialize")).toHaveLength(1);
  });

  it("that does not ask is not called for the model", async () => {
    const end = await serve(sessions(() => {}, {}).handle);
    const connection = connect(end.url);
    await expect(connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "notOptedIn",
    });
    expect(posted(end, "tools/call")).toEqual([]);
  });

  it("that forgot the session fails one call, which is not sent again, and is met anew", async () => {
    const { known, handle } = sessions(() => {});
    const end = await serve(handle);
    const connection = connect(end.url);
    await connection.callForModel(call, readOnly);
    known.clear();
    await expect(connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "refused",
    });
    expect(posted(end, "tools/call")).toHaveLength(2);
    await expect(connection.callForModel(call, readOnly)).resolves.toMatchObject(DONE);
    expect(posted(end, "initialize")).toHaveLength(2);
    expect(posted(end, "tools/call")).toHaveLength(3);
    // The session that broke is left.
    while (!end.requests.some(({ method }) => method === "DELETE")) {
      await new Promise((tick) => setImmediate(tick));
    }
  });

  it.each(["sessions", "no sessions"])(
    "with %s that goes down in a call leaves its outcome unknown, and gets it only once",
    async (kind) => {
      const { promise: called, resolve } = Promise.withResolvers<void>();
      const seen = () => {
        resolve();
        return new Promise(() => {});
      };
      const handler = createMcpHandler(() => lookServer(seen), { responseMode: "sse" });
      const end = await serve(
        kind === "sessions" ? sessions(seen).handle : (request) => handler.fetch(request),
      );
      const connection = connect(end.url);
      const result = connection.callForModel(call, readOnly);
      const outcome = expect(result).rejects.toMatchObject({ code: "outcomeUnknown" });
      await called;
      end.cut();
      await outcome;
      await connection.listTools();
      expect(posted(end, "tools/call")).toHaveLength(1);
      await handler.close();
    },
  );

  it.each(["breaks off", "ends"])(
    "whose answer %s before it is there leaves the outcome unknown",
    async (how) => {
      const streams: ReadableStreamDefaultController<string>[] = [];
      const end = await serve(async (request) => {
        const { id, method } = (await request.json().catch(() => ({}))) as Record<string, unknown>;
        if (method === "initialize") {
          const capabilities = { tools: { listChanged: true }, ...advertise() };
          const serverInfo = { name: "raw", version: "1" };
          const result = { protocolVersion: "2025-06-18", capabilities, serverInfo };
          return Response.json({ jsonrpc: "2.0", id, result });
        }
        if (method !== "tools/call") return new Response(null, { status: id ? 404 : 202 });
        const stream = new ReadableStream<string>({
          start: (controller) => {
            streams.push(controller);
            const told = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
            controller.enqueue(`data: ${JSON.stringify(told)}\n\n`);
          },
        }).pipeThrough(new TextEncoderStream());
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      });
      // Once something of the answer has arrived, the rest never does.
      const toolsChanged = () => {
        if (how === "ends") streams[0]?.close();
        else end.cut();
      };
      const connection = connect(end.url, {}, { toolsChanged });
      await expect(connection.callForModel(call, readOnly)).rejects.toMatchObject({
        code: "outcomeUnknown",
      });
      expect(posted(end, "tools/call")).toHaveLength(1);
    },
  );

  it("is told when its caller gives up", async () => {
    const { promise: called, resolve } = Promise.withResolvers<void>();
    const seen = () => {
      resolve();
      return new Promise(() => {});
    };
    const end = await serve(sessions(seen).handle);
    const abort = new AbortController();
    const result = connect(end.url).callForModel(call, readOnly, { signal: abort.signal });
    const outcome = expect(result).rejects.toMatchObject({ code: "cancelled" });
    await called;
    abort.abort();
    await outcome;
    while (posted(end, "notifications/cancelled").length === 0) {
      await new Promise((tick) => setImmediate(tick));
    }
  });

  it("of 2026-07-28 gets the headers that its tools ask for", async () => {
    const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const region = { type: "string", "x-mcp-header": "Region" };
    const inputSchema = { type: "object", properties: { region } };
    const answers: Readonly<Record<string, unknown>> = {
      "server/discover": {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, ...advertise() },
      },
      "tools/list": { tools: [{ name: "look", inputSchema }] },
      "tools/call": DONE,
    };
    const end = await serve(async (request) => {
      const { id, method } = (await request.json()) as { id: number; method: string };
      const result = { ...complete, ...(answers[method] ?? {}) };
      return Response.json({ jsonrpc: "2.0", id, result });
    });
    const connection = connect(end.url);
    await connection.listTools();
    await connection.callForModel({ ...call, arguments: { region: "north" } }, readOnly);
    expect(posted(end, "tools/call")[0]?.headers.get("mcp-param-region")).toBe("north");
  });

  it("that is not there is out of reach", async () => {
    const end = await serveHttp(async () => new Response());
    await end.close();
    await expect(connect(end.url).listTools()).rejects.toMatchObject({ code: "unreachable" });
  });
});

describe("how a server over HTTP is reached", () => {
  it("shows the token it is configured with, and shows it nobody else", async () => {
    const other = await serve(async () => new Response());
    const end = await serve(async () => Response.redirect(other.url, 307));
    const connection = connect(end.url, { bearerTokenEnvVar: "T" }, { env: { T: "secret" } });
    await expect(connection.listTools()).rejects.toMatchObject({ code: "unreachable" });
    expect(end.requests[0]?.headers.get("authorization")).toBe("Bearer secret");
    expect(other.requests).toEqual([]);
  });

  it.each([
    ["not set", {}],
    ["empty", { T: "" }],
  ])("refuses a token whose variable is %s", async (what, env) => {
    const end = await serve(async () => new Response());
    const connection = connect(end.url, { bearerTokenEnvVar: "T" }, { env });
    await expect(connection.listTools()).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining(what),
    });
    expect(end.requests).toEqual([]);
  });

  it.each([
    ["before it was greeted", 404, () => true],
    ["of a call", 403, (body: string) => body.includes("tools/call")],
    ["of a call that may have run", 500, (body: string) => body.includes("tools/call")],
  ])("that quotes its token in a refusal %s is not quoted with it", async (_, status, refuses) => {
    const { handle } = sessions(() => {});
    const end = await serve(async (request) => {
      const shown = request.headers.get("authorization");
      if (!refuses(await request.clone().text())) return handle(request);
      return new Response(`the token "${shown}" is not taken`, { status });
    });
    const token = { bearerTokenEnvVar: "T" };
    const connection = connect(end.url, token, { env: { T: "secret-of-mine" } });
    const refused = await connection.callForModel(call, readOnly).catch(String);
    expect(refused).toContain('the token "Bearer [token]" is not taken');
    expect(refused).not.toContain("secret-of-mine");
  });

  it("refuses to confine what runs elsewhere", async () => {
    const end = await serve(async () => new Response());
    const connection = connect(end.url, { sandbox: "confine" });
    await expect(connection.callForModel(call, readOnly)).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining('sandbox = "inherit"'),
    });
    expect(end.requests).toEqual([]);
  });
});
