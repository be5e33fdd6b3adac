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
  /** Lets every upgrade through when absent. Until it settles, nothing on the socket is read. */
  readonly authorize?: (request: IncomingMessage) => Authorization | Promise<Authorization>;
}

const FAILED: HttpReply = { status: 500 };
const NO_UPGRADE: HttpReply = { status: 400, body: "Expected a WebSocket upgrade\n" };

/** Answers what is not, or must not become, a WebSocket, and holds those sockets until they close. */
export class HttpGate {
  readonly #options: HttpGateOptions;
  /** Answered, or about to be: none of them is served. */
  readonly #held = new Set<Duplex>();

  constructor(options: HttpGateOptions) {
    this.#options = options;
  }

  answerPlain(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (this.#held.has(socket)) return;
    this.#hold(socket);
    const { status, body = "" } =
      originReply(request) ?? orFailed(() => this.#options.route?.(request)) ?? NO_UPGRADE;
    response.writeHead(status, { "content-type": "text/plain", connection: "close" });
    response.end(request.method === "HEAD" ? "" : body, () => endSocket(socket));
    request.resume();
  }

  /** Answers an upgrade that must not happen, and serves any other in the turn it was let through. */
  async upgrade(request: IncomingMessage, socket: Duplex, serve: () => void): Promise<void> {
    if (this.#held.has(socket)) {
      endSocket(socket);
      return;
    }
    const letGo = this.#hold(socket);
    const reply = originReply(request) ?? (await this.#authorize(request));
    if (socket.destroyed) return;
    if (reply) {
      endSocket(socket, textOf(reply));
      return;
    }
    letGo();
    serve();
  }

  /** Ends the sockets whose answer nobody took, or that still wait for one. */
  close(): void {
    for (const socket of this.#held) socket.destroy();
  }

  /** A hook that throws has not let anything through. */
  async #authorize(request: IncomingMessage): Promise<HttpReply | undefined> {
    const { authorize } = this.#options;
    if (!authorize) return undefined;
    try {
      return authorizationReply(await authorize(request));
    } catch {
      return FAILED;
    }
  }

  /** Returns the function that hands the socket on, as it came. */
  #hold(socket: Duplex): () => void {
    const onError = () => socket.destroy();
    const onClose = () => this.#held.delete(socket);
    this.#held.add(socket);
    socket.on("error", onError);
    socket.once("close", onClose);
    return () => {
      onClose();
      socket.off("error", onError).off("close", onClose);
    };
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

/** A route that throws answers all the same. */
function orFailed(hook: () => HttpReply | undefined): HttpReply | undefined {
  try {
    return hook();
  } catch {
    return FAILED;
  }
}

function authorizationReply(verdict: Authorization): HttpReply | undefined {
  if (verdict.kind === "ok") return undefined;
  return { status: verdict.status ?? 401, body: verdict.body };
}
