import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { allowed, HttpRig, rawTarget, target, textOf } from "./support/http-rig.ts";

describe("http/request without --allow-http", () => {
  it("sends nothing and says who decided that", async () => {
    const { url, seen } = await target((_, response) => response.end());
    const { error } = await new HttpRig({ kind: "refused" }).ask({ url });
    expect(error).toEqual({
      code: -32601,
      message:
        'Cannot use "http/request": the operator of this executor did not allow it, expected --allow-http',
    });
    expect(seen).toEqual([]);
  });
});

describe("87: a buffered http/request", () => {
  it("brings back status, headers and body", async () => {
    const { url, seen } = await target((_, response) => {
      response.writeHead(418, [
        ...["X-One", "1", "Set-Cookie", "a=1", "Set-Cookie", "b=2"],
        ...["Content-Length", "5"],
      ]);
      response.end("short");
    });
    const reply = await allowed().ask({ url: `${url}/a?b=c#d` });
    expect(reply.result?.status).toBe(418);
    expect(reply.result?.headers).toEqual(
      expect.arrayContaining([
        { name: "x-one", value: "1" },
        { name: "set-cookie", value: "a=1" },
        { name: "set-cookie", value: "b=2" },
      ]),
    );
    expect(textOf(reply)).toBe("short");
    expect(seen.map(({ line }) => line)).toEqual(["GET /a?b=c"]);
  });

  it("sends method, body and every header, also one that is given twice", async () => {
    const { url, seen } = await target((_, response) => response.end());
    const headers = [
      { name: "X-Two", value: "a" },
      { name: "__proto__", value: "p" },
      { name: "x-two", value: "b" },
      { name: "Host", value: "else.example" },
    ];
    await allowed().ask({ url, method: "PATCH", headers, bodyBase64: btoa("body") });
    const [{ line, rawHeaders = [], body } = {}] = seen;
    expect({ line, body }).toEqual({ line: "PATCH /", body: "body" });
    const pairs = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[at + 1]}`] : [],
    );
    expect(pairs.sort()).toEqual([
      "__proto__: p",
      "connection: close",
      "content-length: 4",
      "host: else.example",
      "x-two: a",
      "x-two: b",
    ]);
  });

  it.each(["GET", "DELETE", "OPTIONS", "POST"])("frames a body of %s", async (method) => {
    const { url, seen } = await target((_, response) => response.end());
    const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    await allowed().ask({ url, method, bodyBase64: btoa(smuggled) });
    expect(seen.map(({ line, body }) => ({ line, body }))).toEqual([
      { line: `${method} /`, body: smuggled },
    ]);
  });

  it("leaves an encoded body as it is", async () => {
    const packed = gzipSync("text");
    const { url } = await target((_, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(packed);
    });
    const { result } = await allowed().ask({ url });
    expect(result?.bodyBase64).toBe(packed.toString("base64"));
  });

  it("refuses a body that is too long for one answer and says how to get it", async () => {
    const limit = 32 * 1024 * 1024;
    const { url } = await target((request, response) => {
      response.end(Buffer.alloc(limit + (request.url === "/more" ? 1 : 0)));
    });
    const { result } = await allowed().ask({ url });
    expect(result?.bodyBase64).toHaveLength(Math.ceil(limit / 3) * 4);
    const { error } = await allowed().ask({ url: `${url}/more` });
    expect(error).toEqual({
      code: -32603,
      message: `http/request failed: Cannot answer with the body: it is longer than ${limit} bytes, expected streamResponse`,
    });
  });

  it("speaks TLS to an https URL", async () => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const url = await rawTarget((socket) =>
      socket.once("data", (bytes) => {
        resolve(bytes[0]);
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      }),
    );
    const { error } = await allowed().ask({ url: url.replace("http:", "https:") });
    expect(await promise).toBe(0x16);
    expect(error?.code).toBe(-32603);
  });
});

describe("a request that fails on the way", () => {
  it("is told when nobody listens", async () => {
    const { error } = await allowed().ask({ url: "http://127.0.0.1:1/" });
    expect(error).toEqual({
      code: -32603,
      message: "http/request failed: connect ECONNREFUSED",
    });
  });

  it("is told when its URL names a user who cannot be written", async () => {
    const { error } = await allowed().ask({ url: "http://%zz@127.0.0.1:1/" });
    expect(error).toEqual({
      code: -32603,
      message: "http/request failed: the request could not be sent",
    });
  });

  it.each([
    ["what is no HTTP", "nonsense\r\n\r\n", "HPE_INVALID_CONSTANT"],
    ["nothing", "", "ECONNRESET"],
    ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "ECONNRESET"],
    [
      "a change of protocol nobody asked for",
      "HTTP/1.1 101 Up\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
      "the connection ended without an answer",
    ],
  ])("is told when the answer is %s", async (_, text, why) => {
    const url = await rawTarget((socket) => socket.once("data", () => socket.end(text)));
    const { error } = await allowed().ask({ url });
    expect(error).toEqual({ code: -32603, message: `http/request failed: ${why}` });
  });

  it("never repeats the text of the error, which the other side may have chosen", async () => {
    // Too long for a name, so that nobody is asked for it.
    const secret = "s3cret".repeat(12);
    const { url } = await target((request, response) => {
      const place = `http://${request.headers.authorization}.invalid/`;
      response.writeHead(302, { Location: place }).end();
    });
    const headers = [{ name: "Authorization", value: "", valueEnvVar: "THEIRS" }];
    const { error } = await allowed({ THEIRS: secret }).ask({ url, headers });
    expect(error?.message).toMatch(/^http\/request failed: getaddrinfo E/);
    expect(error?.message).not.toContain(secret);
  });
});

describe("92: timeoutMs", () => {
  const NEVER = { code: -32603, message: "http/request failed: it took longer than 20 ms" };

  it("ends a request whose answer does not come", async () => {
    const { url } = await target(() => {});
    expect((await allowed().ask({ url, timeoutMs: 20 })).error).toEqual(NEVER);
  });

  it("ends a body that does not end", async () => {
    const { url } = await target((_, response) => void response.write("begun"));
    expect((await allowed().ask({ url, timeoutMs: 20 })).error).toEqual(NEVER);
  });

  it("covers redirects together, not one by one", async () => {
    const { url } = await target((_, response) => {
      setTimeout(() => response.writeHead(307, { Location: "/" }).end(), 15);
    });
    expect((await allowed().ask({ url, timeoutMs: 20 })).error).toEqual(NEVER);
  });

  it("may be longer than any timer", async () => {
    const { url } = await target((_, response) => {
      setImmediate(() => response.end("there"));
    });
    const reply = await allowed().ask({ url, timeoutMs: Number.MAX_SAFE_INTEGER });
    expect(textOf(reply)).toBe("there");
  });
});

describe("a client that leaves", () => {
  it.each([
    ["before the answer", () => {}],
    ["before the end of the body", (response: ServerResponse) => void response.write("begun")],
  ])("ends its request %s", async (_, begin) => {
    const left = Promise.withResolvers<void>();
    const { url, seen } = await target((request, response) => {
      begin(response);
      void once(request.socket, "close").then(() => left.resolve());
      rig.wire.transport.close();
    });
    const rig = allowed();
    await rig.send({ url });
    await left.promise;
    await rig.peer.settled;
    expect(seen).toHaveLength(1);
    expect(rig.faults).toEqual([]);
  });
});
