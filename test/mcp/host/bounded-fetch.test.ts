/** How much of what a server elsewhere says is read. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createListener } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { boundedFetch } from "../../../src/mcp/host/bounded-fetch.ts";

const MOST = 1000;
const SSE = "text/event-stream; charset=utf-8";

type Answer = (response: ServerResponse) => Promise<void> | void;

/** What is read of an answer, and whether the server saw that nobody reads on. */
async function read(type: string, answer: Answer) {
  const gone = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.on("close", gone.resolve);
    response.writeHead(200, { "content-type": type });
    void answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const response = await boundedFetch(MOST)(`http://127.0.0.1:${port}/`);
  expect(response.headers.get("content-type")).toBe(type);
  const said = await response.text().catch((error: Error) => error.message);
  await gone.promise;
  return said;
}

/** Says a piece again and again until nobody listens any more. */
function endlessly(piece: string): Answer {
  return (response) => {
    const more = () => {
      while (!response.destroyed && response.write(piece));
      response.once("drain", more);
    };
    more();
  };
}

it.each([
  ["an answer", "application/json", "x".repeat(MOST)],
  ["many events", SSE, "data: x\n\n".repeat(MOST)],
  ["events that end otherwise", SSE, "data: x\r\n\r\ndata: y\r\r".repeat(MOST)],
  ["events whose lines end in two ways", SSE, "data: x\n\r\n".repeat(MOST)],
  ["an event of just that size", SSE, `data: ${"x".repeat(MOST - 8)}\n\n`],
])("reads %s whole", async (_, type, said) => {
  expect(await read(type, (response) => void response.end(said))).toBe(said);
});

it("knows an end of an event that comes in pieces", async () => {
  const piece = `data: ${"x".repeat(MOST / 2)}\r\n\r\n`;
  const said = await read(SSE, async (response) => {
    for (const byte of [...piece.repeat(3)]) {
      response.write(byte);
      if (byte === "\r" || byte === "\n") await new Promise((tick) => setImmediate(tick));
    }
    response.end();
  });
  expect(said).toBe(piece.repeat(3));
});

it.each([
  ["an answer", "application/json", "x".repeat(100)],
  ["a line of an event", SSE, "x".repeat(100)],
  ["an event of many lines", SSE, "data: x\n"],
])("leaves %s that has no end", async (_, type, piece) => {
  expect(await read(type, endlessly(piece))).toBe(`it has more than ${MOST} bytes, expected fewer`);
});

it.each([
  ["words of another language", "200 Выполнено"],
  ["words that do not show", "200 \u0001"],
  ["a status that is none", "999 ?"],
])("hands on an answer with %s as it is without a bound", async (_, status) => {
  const answer = `HTTP/1.1 ${status}\r\nContent-Length: 2\r\nX-Said: it\r\nConnection: close\r\n\r\nhi`;
  const listener = createListener((socket) => socket.once("data", () => socket.end(answer)));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const said = async (fetching: typeof fetch) => {
    const response = await fetching(`http://127.0.0.1:${port}/`);
    const { ok, status, statusText, url, redirected, type } = response;
    const header = response.headers.get("x-said");
    return { ok, status, statusText, url, redirected, type, header, text: await response.text() };
  };
  expect(await said(boundedFetch(MOST))).toEqual(await said(fetch));
});
