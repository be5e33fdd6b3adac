/**
 * Each call into a sandbox goes through here: counted, acquired, kept alive, and
 * pinned to the sandbox it began in.
 *
 * Before a call has begun, a dead sandbox is replaced. From then on nothing is
 * repeated: a sandbox that dies under a call fails that call, and only its own
 * generation is dropped.
 */
import type { SandboxIntent } from "../../exec/index.ts";
import { isOver, Refusal, refusalOf, refuseAborted } from "../refusal.ts";
import { SessionError } from "../session-error.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { extendKeepalive } from "./keepalive.ts";
import type { LiveWork } from "./live-work.ts";
import type { AcquireRequest, HeldSandbox, SandboxHolder } from "./sandbox-holder.ts";

/** One that dies right after its probe is replaced once. */
const MOST_ATTEMPTS = 2;

export interface CallParts {
  readonly holder: SandboxHolder;
  readonly work: LiveWork;
  readonly keepaliveMs: number;
}

type Operation<T> = (held: HeldSandbox) => Promise<T>;

export class SandboxCalls {
  readonly #parts: CallParts;
  #lastChange: Promise<unknown> | undefined;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** Does something in the thread's sandbox. Throws in our own words. */
  call<T>(request: AcquireRequest, operation: Operation<T>): Promise<T> {
    return this.#call(request, operation, undefined);
  }

  /** The same behind the change before it, however that ended: what one has read another must not write over. */
  change<T>(request: AcquireRequest, operation: Operation<T>): Promise<T> {
    const before = this.#lastChange;
    const done = this.#call(request, operation, before);
    // Whoever gave up waiting leaves the next one behind the one before.
    this.#lastChange = overAfter(before, done);
    return done;
  }

  async #call<T>(
    request: AcquireRequest,
    operation: Operation<T>,
    before: Promise<unknown> | undefined,
  ): Promise<T> {
    const { holder, work } = this.#parts;
    const over = work.begin("call");
    const asked = holder.intent;
    try {
      if (before !== undefined) await unlessAborted(before, request.signal, `run "${request.by}"`);
      const held = await this.#acquire(request, asked);
      try {
        refuseAborted(request.signal, `run "${request.by}"`);
        return await operation(held);
      } catch (error) {
        if (isOver(error) && !(error instanceof Refusal)) holder.lose(held.generation, error);
        throw duringCall(error, request.by);
      } finally {
        held.done();
      }
    } finally {
      over();
    }
  }

  async #acquire(request: AcquireRequest, asked: SandboxIntent): Promise<HeldSandbox> {
    const { holder, keepaliveMs } = this.#parts;
    const stopped = new SessionError("stopped", "stopped");
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const held = await holder.acquire(request, asked);
      if (await extendKeepalive(held.sandbox, keepaliveMs)) return held;
      held.done();
      holder.lose(held.generation, stopped);
    }
    throw refusalOf(stopped, `run "${request.by}"`);
  }
}

/** Says only that they are over: what they came to is held no longer than whoever asked wants it. */
async function overAfter(...all: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.allSettled(all);
}

/** A sandbox that ended under a call leaves nobody to say how far the call came. */
function duringCall(error: unknown, by: string): Refusal {
  const isLoss = isOver(error) && !(error instanceof Refusal);
  return refusalOf(
    isLoss ? new SessionError("interrupted", "interrupted", { cause: error }) : error,
    `run "${by}"`,
  );
}
