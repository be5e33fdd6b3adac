/**
 * What a WebSocket listener says to HTTP.
 *
 * A browser page can reach a loopback port and cannot leave out `Origin`, so any
 * request that carries one is refused before anything else is looked at.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

export interface HttpReply {
  readonly status: number;
  readonly body?: string;
}

/** Decides about an upgrade: let it through, or answer with a status (401 when absent). */
export type Authorization =
  | { readonly kind: "ok" }
  | { readonly kind: "refused"; readonly status?: number; readonly body: string };

export interface HttpGateOptions {
  /** Answers plain requests such as `GET /readyz`; `undefined` leaves the 400 of a missing upgrade. */
  readonly route?: (request: IncomingMessage) => HttpReply | undefined;
  /** Lets every upgrade through when absent. */
  readonly authorize?: (request: IncomingMessage) => Authorization;
}

const NO_UPGRADE: HttpReply = { status: 400, body: "Expected a WebSocket upgrade\n" };

/** Answers a plain request. */
export function answerPlain(
  request: IncomingMessage,
  response: ServerResponse,
  { route }: HttpGateOptions,
): void {
  const { status, body = "" } =
    originReply(request) ?? orFailed(() => route?.(request)) ?? NO_UPGRADE;
  response.writeHead(status, { "content-type": "text/plain", connection: "close" });
  response.end(request.method === "HEAD" ? "" : body);
  request.resume();
}

/** Answers an upgrade that must not happen; true if it did. */
export function refuseUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  { authorize }: HttpGateOptions,
): boolean {
  const reply = originReply(request) ?? orFailed(() => authorizationReply(authorize?.(request)));
  if (!reply) return false;
  const body = Buffer.from(reply.body ?? "");
  const head = [
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}`,
    "Content-Type: text/plain",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  socket.on("error", () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
  return true;
}

function originReply(request: IncomingMessage): HttpReply | undefined {
  return request.headers.origin === undefined ? undefined : { status: 403 };
}

/** A hook that throws has not let anything through. */
function orFailed(hook: () => HttpReply | undefined): HttpReply | undefined {
  try {
    return hook();
  } catch {
    return { status: 500 };
  }
}

function authorizationReply(verdict: Authorization | undefined): HttpReply | undefined {
  if (!verdict || verdict.kind === "ok") return undefined;
  return { status: verdict.status ?? 401, body: verdict.body };
}
