/** What `fetch` does for a question, and a client of fewer rules would not. */
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { ask, collect } from "./support/ask.ts";
import {
  answers,
  type Provider,
  type Step,
  says,
  startProvider,
} from "./support/responses-server.ts";

let provider: Provider | undefined;
let listener: Server | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  await provider?.close();
  provider = undefined;
  for (const socket of sockets) socket.destroy();
  listener?.close();
});

async function failure(step: Step) {
  provider = await startProvider(step, step);
  return collect(ask(provider.baseUrl));
}

async function listens(heard: (socket: Socket) => void): Promise<number> {
  listener = createServer((socket) => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    heard(socket);
  });
  await new Promise<void>((listening) => listener?.listen(0, "127.0.0.1", listening));
  return (listener.address() as AddressInfo).port;
}

describe("an encoding", () => {
  it.each(["none", "", "Identity", "utf-8"])(
    "that is none is no reason to refuse: %j",
    async (name) => {
      const { events, error } = await failure((response, request) => {
        response.setHeader("content-encoding", name);
        answers(says("msg_1", "hi"))(response, request);
      });
      expect(error).toBeUndefined();
      expect(events[0]).toMatchObject({ delta: "hi" });
    },
  );

  it("does not hide that the key was refused, and makes nobody ask again", async () => {
    const refuses: Step = (response) => {
      response.writeHead(401, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync('{"error":{"message":"no"}}'));
    };
    provider = await startProvider(refuses, refuses);
    const { error } = await collect(ask(provider.baseUrl, { options: { maxRetries: 1 } }));
    expect(provider.requests).toHaveLength(1);
    expect(error).toMatchObject({ code: "rejected", message: expect.stringContaining("HTTP 401") });
  });
});

describe("a status", () => {
  it("is told with its reason where the body says nothing", async () => {
    const { error } = await failure((response) =>
      response.writeHead(503, "Model not loaded").end(),
    );
    expect(error).toMatchObject({
      message: expect.stringContaining('HTTP 503, "Model not loaded"'),
    });
  });

  it.each([300, 304])("of %i is no redirect, and nobody asks again", async (status) => {
    const step: Step = (response) => response.writeHead(status).end();
    provider = await startProvider(step, step);
    const { error } = await collect(ask(provider.baseUrl, { options: { maxRetries: 1 } }));
    expect(provider.requests).toHaveLength(1);
    expect(error).toMatchObject({ message: expect.stringContaining(`HTTP ${status}`) });
  });
});

describe("headers of the settings", () => {
  it("do not say who the provider is", async () => {
    provider = await startProvider(answers(says("msg_1", "hi")));
    await collect(ask(provider.baseUrl, { provider: { httpHeaders: { Host: "evil.example" } } }));
    expect(provider.requests[0]?.headers.host).toMatch(/^127\.0\.0\.1:/);
  });

  it("do not cut the question", async () => {
    const heard: string[] = [];
    const port = await listens((socket) => socket.on("data", (data) => heard.push(`${data}`)));
    const asked = ask(`http://127.0.0.1:${port}/v1`, {
      provider: { httpHeaders: { "Content-Length": "5" } },
      options: { stallMs: 300 },
    });
    await collect(asked);
    expect(heard.join("")).not.toMatch(/content-length: 5\r/i);
  });
});

describe("a connection", () => {
  it("is given up where the answer is over before the question", async () => {
    const body = '{"error":{"message":"too big"}}';
    const port = await listens((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write(`HTTP/1.1 413 Too Large\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const content = [{ type: "text", text: "x".repeat(20_000_000) }] as const;
    const history = [{ type: "userMessage", id: "u1", clientId: null, content }] as const;
    const { error } = await collect(ask(`http://127.0.0.1:${port}/v1`, { history }));
    expect(error).toMatchObject({ message: expect.stringContaining("HTTP 413") });
    for (const socket of sockets) socket.resume();
    await wait(500);
    expect(sockets.size).toBe(0);
  });
});
