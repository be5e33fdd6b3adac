/** A server whose every message is decided by the test: for what a real one cannot be made to do. */
import type { Connect } from "../../../../src/exec/remote/link/open-session.ts";
import { createMemoryPair, type Transport } from "../../../../src/rpc/index.ts";

export interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** The result of a call; an error; or nothing, and no answer is sent. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | undefined;

type Answerer = (asked: Asked, connection: FakeConnection) => Answer;

export const ENFORCING = { environmentInfo: { shell: { name: "sh", path: "/bin/sh" } } };
export const PROMISE = {
  version: 1,
  executorId: "fake",
  enforces: true,
  waivers: "allowed",
  signatures: "unknown",
};

/** One connection, seen from the server. */
export class FakeConnection {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  send(message: object): void {
    this.#transport.send(JSON.stringify(message)).catch(() => {});
  }

  output(processId: string, seq: number, text: string): void {
    const chunk = Buffer.from(text).toString("base64");
    const params = { processId, seq, stream: "stdout", chunk };
    this.send({ method: "process/output", params });
  }

  exited(processId: string, seq: number, exitCode: number, sandboxDenied?: boolean): void {
    const params = {
      processId,
      seq,
      exitCode,
      ...(sandboxDenied !== undefined && { sandboxDenied }),
    };
    this.send({ method: "process/exited", params });
  }

  closed(processId: string, seq: number): void {
    this.send({ method: "process/closed", params: { processId, seq } });
  }

  drop(): void {
    this.#transport.close("cut by the test");
  }
}

export class FakeServer {
  readonly asked: Asked[] = [];
  readonly connections: FakeConnection[] = [];
  readonly #answers = new Map<string, Answerer>();
  /** Whether new connections can be had. */
  isReachable = true;

  constructor(introduction: object = ENFORCING) {
    this.on("initialize", () => ({ result: { sessionId: "session-1", ...introduction } }));
    this.on("process/terminate", () => ({ result: { running: true } }));
  }

  readonly connect: Connect = async () => {
    if (!this.isReachable) throw new Error("nobody is there");
    const [client, server] = createMemoryPair();
    const connection = new FakeConnection(server);
    this.connections.push(connection);
    server.open({
      message: (incoming) => {
        if (incoming.kind === "text") this.#answer(JSON.parse(incoming.text), connection);
      },
      closed: () => {},
    });
    return client;
  };

  on(method: string, answer: Answerer): void {
    this.#answers.set(method, answer);
  }

  /** The names of what was asked, in order. */
  get methods(): string[] {
    return this.asked.map(({ method }) => method);
  }

  paramsOf(method: string): Record<string, unknown>[] {
    return this.asked.filter((one) => one.method === method).map(({ params }) => params);
  }

  #answer(asked: Asked, connection: FakeConnection): void {
    this.asked.push(asked);
    if (asked.id === undefined) return;
    const unknown = { error: { code: -32601, message: `no ${asked.method}` } };
    const answerer = this.#answers.get(asked.method);
    const answer = answerer === undefined ? unknown : answerer(asked, connection);
    if (answer !== undefined) connection.send({ id: asked.id, ...answer });
  }
}

/** An answer to `process/read`. */
export function readAnswer(more: object = {}): Answer {
  const nothing = { chunks: [], nextSeq: 1, exited: false, exitCode: null, closed: false };
  return { result: { ...nothing, failure: null, sandboxDenied: false, ...more } };
}
