/**
 * What a WebSocket listener says to HTTP.
 *
 * A browser page can reach a loopback port and cannot leave out `Origin`, so any
 * request that carries one is refused before anything else is looked at. A socket
 * that got an answer gets no second one: what follows on it is not served.
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

/** Answers what is not, or must not become, a WebSocket, and holds those sockets until they close. */
export class HttpGate {
  readonly #options: HttpGateOptions;
  readonly #answered = new Set<Duplex>();

  constructor(options: HttpGateOptions) {
    this.#options = options;
  }

  answerPlain(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (this.#answered.has(socket)) return;
    this.#hold(socket);
    const { status, body = "" } =
      originReply(request) ?? orFailed(() => this.#options.route?.(request)) ?? NO_UPGRADE;
    response.writeHead(status, { "content-type": "text/plain", connection: "close" });
    response.end(request.method === "HEAD" ? "" : body, () => endSocket(socket));
    request.resume();
  }

  /** Answers an upgrade that must not happen; true if it did. */
  refuseUpgrade(request: IncomingMessage, socket: Duplex): boolean {
    if (this.#answered.has(socket)) {
      endSocket(socket);
      return true;
    }
    const { authorize } = this.#options;
    const reply = originReply(request) ?? orFailed(() => authorizationReply(authorize?.(request)));
    if (!reply) return false;
    this.#hold(socket);
    endSocket(socket, textOf(reply));
    return true;
  }

  /** Ends the sockets whose answer nobody took. */
  close(): void {
    for (const socket of this.#answered) socket.destroy();
  }

  #hold(socket: Duplex): void {
    this.#answered.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#answered.delete(socket));
  }
}

/** The other side may keep its half open for ever, so the socket goes as soon as the bytes are out. */
function endSocket(socket: Duplex, bytes: string | Uint8Array = ""): void {
  socket.once("finish", () => socket.destroy());
  if (socket.writableFinished) socket.destroy();
  else socket.end(bytes);
}

function textOf({ status, body = "" }: HttpReply): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
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
