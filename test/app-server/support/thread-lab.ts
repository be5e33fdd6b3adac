/** Threads of a server with an agent that a test plays, and followers that note what they hear. */
import { onTestFinished } from "vitest";
import type { Agent, SaidInput, ThreadAgent, TurnEnd, TurnPort } from "../../../src/agent/index.ts";
import { AppConnection } from "../../../src/app-server/app-connection.ts";
import type { ChosenPolicy } from "../../../src/app-server/policy/chosen-policy.ts";
import { createMemoryStore } from "../../../src/app-server/store/create-memory-store.ts";
import type { ThreadRecord } from "../../../src/app-server/store/thread-record.ts";
import type { ThreadStore } from "../../../src/app-server/store/thread-store.ts";
import { createId } from "../../../src/app-server/threads/create-id.ts";
import type { LoadedThread } from "../../../src/app-server/threads/loaded-thread.ts";
import { type Loading, Threads } from "../../../src/app-server/threads/threads.ts";
import type { CloseReason, Peer } from "../../../src/rpc/index.ts";
import { aThread } from "../store/support/kept-threads.ts";

/** What the test does in place of a model. */
export type Play = (said: string, port: TurnPort) => Promise<TurnEnd>;

export const COMPLETED: TurnEnd = { status: "completed" };

export class ThreadLab {
  readonly store: ThreadStore;
  readonly threads: Threads;
  readonly faults: unknown[] = [];
  /** What was said to the model, in order. */
  readonly said: string[] = [];
  /** Of each time something was said to the model, what it was told as said before. */
  readonly histories: (string | null)[][] = [];
  play: Play = async () => COMPLETED;
  shell: (port: TurnPort) => Promise<TurnEnd> = async () => COMPLETED;
  /** What letting go of a thread waits for. */
  closing: Promise<unknown> = Promise.resolve();
  clock: () => number = Date.now;

  constructor(store: ThreadStore = createMemoryStore()) {
    this.store = store;
    this.threads = new Threads({
      agent: this.#agent(),
      store,
      memory: createMemoryStore,
      home: {
        now: () => this.clock(),
        broadcast: () => {},
        version: "1",
        log: (fault) => this.faults.push(fault),
        nextRequestId: () => 0,
        grants: {
          grant: () => Promise.reject(new Error("nothing is granted here")),
          renew: async () => {},
        },
      },
      unloaded: () => {},
    });
  }

  /** A thread in which nothing was said. */
  start(more: Partial<ThreadRecord> = {}): LoadedThread {
    const record = aThread(createId(Date.now()), more);
    const place = this.threads.placeFor({ ephemeral: false });
    return this.threads.add({ ...loadingOf(record), ...place, isKept: false });
  }

  /** The thread, loaded again. */
  resume(id: string): Promise<LoadedThread> {
    return this.threads.load(id, async (record) => ({
      ...loadingOf(record),
      ...this.threads.placeFor({ ephemeral: false }),
      isKept: true,
    }));
  }

  #agent(): Agent {
    const thread: ThreadAgent = {
      runTurn: ({ input, history }, port) => {
        const words = wordsOf(input);
        this.histories.push(history.map((one) => ("clientId" in one ? one.clientId : null)));
        this.said.push(words);
        return this.play(words, port);
      },
      runShell: (_, port) => this.shell(port),
      processes: () => [],
      endProcess: async () => false,
      close: async () => void (await this.closing),
    };
    return { openThread: () => thread, close: async () => {} };
  }
}

/** Says something, under an id of its own. */
export function words(text: string): SaidInput {
  return { id: createId(Date.now()), clientId: text, content: [{ type: "text", text }] };
}

export interface Follower {
  readonly connection: AppConnection;
  /** What it was asked, by method. It never answers. */
  readonly asked: string[];
  readonly heard: { readonly method: string; readonly params: unknown }[];
  leave(): Promise<void>;
}

/** A client that has introduced itself. */
export function aFollower(): Follower {
  const { promise: closed, resolve } = Promise.withResolvers<CloseReason>();
  const heard: Follower["heard"] = [];
  const asked: string[] = [];
  const peer: Pick<Peer, "closed" | "notify" | "call"> = {
    closed,
    call: ({ name }) => {
      asked.push(name);
      return new Promise(() => {});
    },
    notify: async ({ name: method }, params) => void heard.push({ method, params }),
  };
  const connection = new AppConnection(peer as Peer);
  connection.initialize({ name: "test", version: "1", experimental: true, optedOut: new Set() });
  const leave = async () => {
    resolve({ kind: "ended", reason: "it left" });
    await closed;
  };
  onTestFinished(leave);
  return { connection, asked, heard, leave };
}

/** The last thing that a follower heard of a kind. */
export function lastHeard({ heard }: Follower, method: string): unknown {
  return heard.findLast((one) => one.method === method)?.params;
}

/** Settles when the turn that runs is over. */
export async function turnOver(thread: LoadedThread): Promise<void> {
  while (thread.activeTurn !== undefined) await new Promise((next) => setImmediate(next));
}

function wordsOf({ content }: SaidInput): string {
  return content.map((one) => (one.type === "text" ? one.text : "")).join(" ");
}

function loadingOf(record: ThreadRecord): Omit<Loading, "store" | "isEphemeral" | "isKept"> {
  const { policy, cwd, workspaceRoots } = record.settings;
  const chosen = { policy, place: { cwd, workspaceRoots } } as ChosenPolicy;
  return { record, chosen, overrides: {} };
}
