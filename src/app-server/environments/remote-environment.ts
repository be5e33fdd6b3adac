/**
 * One exec-server: connected to by whoever needs it first, and again after a loss.
 *
 * A drop is repaired below: the session goes on and calls wait. When it cannot be
 * taken up again, what ran there is lost to whoever held it, and whoever comes
 * next gets a session of its own.
 */
import {
  type ConnectExecutorOptions,
  connectExecutor,
  ExecError,
  type ExecErrorCode,
  type PolicyBounds,
  type RemoteExecutor,
} from "../../exec/index.ts";
import { boundedExecutor } from "./bounded-executor.ts";
import type { EnvironmentAddress } from "./read-environment.ts";
import { type CallListener, watchCall, watchCalls } from "./watch-calls.ts";
import { watchTransport } from "./watch-transport.ts";

export interface RemoteEnvironmentParts {
  readonly address: EnvironmentAddress;
  readonly connect: (address: EnvironmentAddress) => ConnectExecutorOptions["connect"];
  /** Of this machine. */
  readonly bounds: PolicyBounds;
  readonly times?: ConnectExecutorOptions["times"];
}

export type EnvironmentStatus =
  | { readonly status: "ready" | "pending" }
  | { readonly status: "disconnected" | "unknown"; readonly error: string };

/** One session, as its connections show it; one that was given up says nothing of the next. */
interface Seen {
  status: EnvironmentStatus;
  hasSession: boolean;
}

/** What a call fails with when there is no session any more, or another server in its place. */
const LOST = new Set<ExecErrorCode>(["disconnected", "untrustedServer"]);

/** How many sessions that were given up may still have somebody who reads from them. */
const MOST_RETIRED = 8;

export class RemoteEnvironment {
  readonly #parts: RemoteEnvironmentParts;
  readonly #retired: RemoteExecutor[] = [];
  #coming: Promise<RemoteExecutor> | undefined;
  #seen: Seen = { status: { status: "pending" }, hasSession: false };
  #isClosed = false;

  constructor(parts: RemoteEnvironmentParts) {
    this.#parts = parts;
  }

  /** As it was seen last; looks at nothing. */
  get status(): EnvironmentStatus {
    return this.#seen.status;
  }

  /** Whether nobody has needed it yet. */
  get isUntouched(): boolean {
    return this.#coming === undefined && this.#retired.length === 0;
  }

  /** Settles when it is connected. Rejects with `ExecError`. */
  async executor(): Promise<RemoteExecutor> {
    const found = await this.#connected();
    if (this.status.status === "ready" || (await canBeUsed(found))) return found;
    this.#retire(found);
    return this.#connected();
  }

  /** Ends what runs there. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const current = await this.#coming?.catch(() => undefined);
    const all = [...this.#retired, ...(current === undefined ? [] : [current])];
    await Promise.all(all.map((executor) => executor.close()));
  }

  #connected(): Promise<RemoteExecutor> {
    if (this.#isClosed) {
      throw new ExecError("disconnected", "Cannot reach the environment: this side has closed");
    }
    this.#coming ??= this.#connect();
    return this.#coming;
  }

  async #connect(): Promise<RemoteExecutor> {
    const { times, bounds } = this.#parts;
    const seen: Seen = { status: { status: "pending" }, hasSession: false };
    this.#seen = seen;
    try {
      const executor = await connectExecutor({
        connect: (signal) => this.#open(signal, seen),
        clientName: "writ",
        ...(times && { times }),
      });
      seen.hasSession = true;
      seen.status = { status: "ready" };
      return this.#watched(boundedExecutor(executor, bounds), seen);
    } catch (cause) {
      this.#coming = undefined;
      const told = this.#told(cause);
      seen.status = { status: "disconnected", error: told.message };
      throw told;
    }
  }

  async #open(signal: AbortSignal, seen: Seen) {
    const { address, connect } = this.#parts;
    const transport = await connect(address)(signal);
    // Whether the session is taken up again shows in the first answer.
    if (seen.hasSession) seen.status = { status: "pending" };
    return watchTransport(transport, ({ reason }) => {
      seen.status = { status: "disconnected", error: `The connection is over: ${reason}` };
    });
  }

  #watched(executor: RemoteExecutor, seen: Seen): RemoteExecutor {
    const listener: CallListener = {
      answered: () => {
        if (seen.status.status === "pending") seen.status = { status: "ready" };
      },
      failed: (error) => {
        const isLost = error instanceof ExecError && LOST.has(error.code);
        if (isLost && seen.status.status !== "ready") this.#retire(watched);
      },
    };
    const { trust, environment, anchors } = executor;
    const watched: RemoteExecutor = {
      trust,
      environment,
      anchors: anchors && watchCalls(anchors, listener),
      files: watchCalls(executor.files, listener),
      start: (request, givenUp) => watchCall(executor.start(request, givenUp), listener),
      close: () => executor.close(),
    };
    return watched;
  }

  /** Whoever still reads from it may go on; nobody else gets it. */
  #retire(executor: RemoteExecutor): void {
    if (this.#retired.includes(executor)) return;
    this.#coming = undefined;
    this.#retired.push(executor);
    if (this.#retired.length > MOST_RETIRED) void this.#retired.shift()?.close();
  }

  /** Addresses may hold secrets in what follows their path. */
  #told(cause: unknown): ExecError {
    const { where, shown } = this.#parts.address;
    const text = cause instanceof Error ? cause.message : String(cause);
    const message = where.kind === "url" ? text.replaceAll(where.url, shown) : text;
    const code = cause instanceof ExecError ? cause.code : "disconnected";
    return new ExecError(code, message, { cause });
  }
}

/** Waits while a drop is being repaired. What cannot be asked this finds out when it is used. */
async function canBeUsed({ anchors }: RemoteExecutor): Promise<boolean> {
  try {
    await anchors?.list();
    return true;
  } catch {
    return false;
  }
}
