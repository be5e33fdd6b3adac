/**
 * One connection of a client: how far its handshake has come, and what ends with it.
 */
import { type Peer, RpcError, type Schedule, type Transport } from "../../rpc/index.ts";
import type { RunningProcess } from "../executor.ts";
import type { ProcessEvent } from "../process-event.ts";
import { processNotifications } from "../protocol/process-methods.ts";
import { createFileConnection, type FileConnection } from "./file-connection.ts";
import { createHttpConnection, type HttpConnection } from "./http/http-connection.ts";
import type { Attachment, ExecSession } from "./sessions/exec-session.ts";
import type { ExecSessions } from "./sessions/exec-sessions.ts";
import { toldReceipt } from "./told-receipt.ts";

export interface ConnectionParts {
  readonly peer: Peer;
  readonly transport: Transport;
  readonly sessions: ExecSessions;
  /** The order of calls once the handshake is over; nothing keeps them one after the other. */
  readonly schedule: Schedule | undefined;
}

/** What must have been said before a method may be used, by the name of the method. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^process\//, "exec"],
  [/^fs\//, "filesystem"],
  [/^http\//, "http"],
  [/^writ\/anchor\//, "anchor"],
  [/^environment\/info$/, "environment info"],
  [/^environment\/status$/, "environment status"],
];

export class ExecConnection {
  readonly files: FileConnection;
  readonly http: HttpConnection;
  readonly #parts: ConnectionParts;
  #state: "new" | "opened" | "ready" = "new";
  #session: ExecSession | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.files = createFileConnection(parts.peer);
    this.http = createHttpConnection(parts.peer);
    void parts.peer.closed.then(() => this.#over());
  }

  /** Whether the end of the connection is the end of the client: nobody can come back over a pipe. */
  get isPipe(): boolean {
    return this.#parts.transport.kind === "stdio";
  }

  get session(): ExecSession {
    if (this.#session !== undefined) return this.#session;
    throw new RpcError("invalidRequest", "client must call initialize first");
  }

  open(resume: string | undefined): ExecSession {
    if (this.#state !== "new") {
      throw new RpcError("invalidRequest", "initialize may only be sent once per connection");
    }
    this.#session = this.#parts.sessions.open(resume, this.#sink());
    this.#state = "opened";
    return this.#session;
  }

  /** The client is ready; before it has opened a session that makes no sense. */
  ready(): void {
    const { peer, schedule } = this.#parts;
    if (this.#state === "new") peer.close("initialized before initialize");
    else if (this.#state === "opened" && schedule !== undefined) peer.useSchedule(schedule);
    if (this.#state === "opened") this.#state = "ready";
  }

  /** Throws unless the handshake has come far enough for a method. */
  admit(method: string): void {
    const family = FAMILIES.find(([names]) => names.test(method))?.[1];
    if (family === undefined || this.#state === "ready") return;
    const missing = this.#state === "new" ? "call initialize" : "send initialized";
    throw new RpcError("invalidRequest", `client must ${missing} before using ${family} methods`);
  }

  #sink(): Attachment {
    const { peer, transport } = this.#parts;
    return {
      send: (processId, event, process) => notify(peer, { processId, event, process }),
      // Nothing can be asked for again over a pipe, so all of it counts as taken.
      confirmed: () => transport.confirmed?.() ?? Promise.resolve(),
      end: (reason) => peer.close(reason),
    };
  }

  #over(): void {
    const { sessions } = this.#parts;
    this.files.close();
    this.http.close();
    if (this.#session === undefined) return;
    if (this.isPipe) sessions.drop(this.#session);
    else sessions.detach(this.#session);
  }
}

interface Told {
  readonly processId: string;
  readonly event: ProcessEvent;
  readonly process: RunningProcess;
}

/** Nothing to wait for where it was taken at once, as most output is. */
function notify(peer: Peer, told: Told): Promise<void> | undefined {
  const { processId, event } = told;
  const { seq } = event;
  switch (event.kind) {
    case "output": {
      const params = { processId, seq, stream: event.stream, chunk: "" };
      return peer.notifyBytes(processNotifications.output, params, event.chunk);
    }
    case "exited":
      return peer.notify(processNotifications.exited, { processId, seq, ...event.exit });
    case "closed":
      return notifyClosed(peer, told);
  }
}

async function notifyClosed(peer: Peer, { processId, event, process }: Told): Promise<void> {
  const told = await toldReceipt(process);
  await peer.notify(processNotifications.closed, { processId, seq: event.seq, ...told });
}
