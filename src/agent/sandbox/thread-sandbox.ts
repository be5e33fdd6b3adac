/**
 * Where the tools of one thread work: its session, or the executor alone.
 *
 * The session is made by the first tool that needs it and lives as long as the
 * thread is loaded. Whoever is not confined, and what a person let out, has none:
 * it works on the executor as it is.
 */
import { isDeepStrictEqual } from "node:util";
import type { Executor, SandboxIntent } from "../../exec/index.ts";
import {
  createLocalProvider,
  KeptThreadSession,
  type SkillShelf,
  ThreadSession,
} from "../../session/index.ts";
import type { AgentClock } from "../agent-clock.ts";
import { inTime } from "../in-time.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { intentOf, waivedIntent } from "./intent-of.ts";
import type { SessionPlaces } from "./session-places.ts";

export interface ThreadSandboxParts {
  readonly thread: string;
  /** Throws a sentence where there is no such environment. */
  readonly executors: (environment: string) => Promise<Executor>;
  /** Nothing where threads have no sessions, and each call stands alone. */
  readonly sessions: SessionPlaces | undefined;
  /** The skills of the thread. */
  readonly shelf: SkillShelf;
  readonly clock: AgentClock;
}

interface Held {
  readonly executor: Executor;
  readonly session: KeptThreadSession;
  intent: SandboxIntent;
}

type Work<T> = (session: ThreadSession) => Promise<T>;

export class ThreadSandbox {
  readonly #parts: ThreadSandboxParts;
  /** Of other executors than the one at hand, where they could not be ended. */
  readonly #left = new Set<ThreadSession>();
  #held: Held | undefined;

  constructor(parts: ThreadSandboxParts) {
    this.#parts = parts;
  }

  async executorFor({ environment }: TurnFrame): Promise<Executor> {
    if (environment !== null) return this.#parts.executors(environment);
    throw new Error("Cannot run a tool: the thread has no environment, expected one");
  }

  /** The session, held to the policy of the turn; nothing for one that has none. */
  async sessionFor(frame: TurnFrame): Promise<ThreadSession | undefined> {
    const { sessions } = this.#parts;
    if (sessions === undefined || frame.profile.type === "disabled") return undefined;
    const executor = await this.executorFor(frame);
    const intent = intentOf(frame);
    if (this.#held?.executor !== executor) {
      await this.#end();
      this.#held = { executor, intent, session: this.#create(executor, frame, sessions) };
    }
    const held = this.#held;
    // The same policy is the same object, so that it is not compared again.
    if (!isDeepStrictEqual(held.intent, intent)) held.intent = intent;
    held.session.useIntent(held.intent);
    return held.session;
  }

  /** Does something under the policy of the turn. */
  async use<T>(frame: TurnFrame, work: Work<T>): Promise<T> {
    const session = await this.sessionFor(frame);
    return session === undefined ? this.#passing(frame, intentOf(frame), work) : work(session);
  }

  /** Does something that a person let out of the sandbox. */
  useWaived<T>(frame: TurnFrame, reason: string, work: Work<T>): Promise<T> {
    return this.#passing(frame, waivedIntent(reason), work);
  }

  async close(): Promise<void> {
    await this.#end();
    // What cannot be reached any more ends with what it was reached through.
    const left = [...this.#left].map((session) => session.dispose());
    await inTime(Promise.allSettled(left), this.#parts.clock);
    this.#left.clear();
  }

  async #end(): Promise<void> {
    const session = this.#held?.session;
    this.#held = undefined;
    if (session === undefined) return;
    const isOver = await inTime(session.dispose(), this.#parts.clock).catch(() => false);
    if (!isOver) this.#left.add(session);
  }

  #create(executor: Executor, frame: TurnFrame, places: SessionPlaces): KeptThreadSession {
    const provider = places.providerOf(executor);
    return new KeptThreadSession({
      store: places.store,
      provider,
      snapshots: places.sourceOf(provider),
      onEvent: places.onEvent,
      thread: this.#parts.thread,
      workspace: frame.cwd,
      intent: intentOf(frame),
      skills: this.#parts.shelf,
    });
  }

  /** On the executor alone: nothing is made for it, and nothing is left of it. */
  async #passing<T>(frame: TurnFrame, intent: SandboxIntent, work: Work<T>): Promise<T> {
    const { start, files, close } = bound(await this.executorFor(frame));
    const session = new ThreadSession({
      provider: createLocalProvider({ executor: { start, files, close, anchors: undefined } }),
      thread: this.#parts.thread,
      workspace: frame.cwd,
      intent,
      remembered: undefined,
      onReference: async () => {},
      skills: this.#parts.shelf,
    });
    try {
      return await work(session);
    } finally {
      await inTime(session.dispose(), this.#parts.clock);
    }
  }
}

function bound(executor: Executor): Pick<Executor, "start" | "files" | "close"> {
  return {
    start: (request) => executor.start(request),
    files: executor.files,
    close: () => executor.close(),
  };
}
