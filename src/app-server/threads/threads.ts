/**
 * The threads that are loaded, and how others come to be.
 *
 * A thread is loaded once in a server and in one server at a time: who comes
 * while it is loaded gets the same, and a thread of another process is refused.
 */
import type { Agent } from "../../agent/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { ConfigOverrides } from "../policy/app-config.ts";
import type { ChosenPolicy } from "../policy/chosen-policy.ts";
import type { ThreadRecord, ThreadSettings } from "../store/thread-record.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { isThreadId } from "./create-id.ts";
import { LoadedThread, type ThreadHome } from "./loaded-thread.ts";

export interface ThreadsOptions {
  readonly agent: Agent;
  readonly store: ThreadStore;
  /** Makes a store for a thread that is to be gone when it is let go. */
  readonly memory: () => ThreadStore;
  readonly home: Omit<ThreadHome, "idle">;
  /** Told of a thread that nobody has followed for long. */
  readonly unloaded: (id: string) => void;
}

/** How a thread is loaded. */
export interface Loading {
  readonly record: ThreadRecord;
  readonly chosen: ChosenPolicy;
  readonly overrides: ConfigOverrides;
  /** In memory only, and gone when it is let go. */
  readonly isEphemeral: boolean;
  readonly store: ThreadStore;
  /** Whether the store has it. */
  readonly isKept: boolean;
}

export class Threads {
  readonly #options: ThreadsOptions;
  readonly #loaded = new Map<string, LoadedThread>();
  readonly #loading = new Map<string, Promise<LoadedThread>>();
  /** Those that are being let go: whoever wants one again waits until it was given back. */
  readonly #leaving = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  get ids(): readonly string[] {
    return [...this.#loaded.keys()];
  }

  get store(): ThreadStore {
    return this.#options.store;
  }

  /** Where a thread is to be kept. */
  placeFor({ ephemeral }: { readonly ephemeral: boolean }): Pick<Loading, "store" | "isEphemeral"> {
    const { store, memory } = this.#options;
    return { store: ephemeral ? memory() : store, isEphemeral: ephemeral };
  }

  peek(id: string): LoadedThread | undefined {
    return this.#loaded.get(id);
  }

  /** A thread that can be worked in. */
  find(id: string): LoadedThread {
    const thread = this.#loaded.get(id);
    if (thread !== undefined) return thread;
    checkId(id);
    throw new RpcError("invalidRequest", `thread not found: ${id}`);
  }

  /** What is kept of a thread that has begun; refuses one that there is not. */
  kept(id: string): ThreadRecord {
    checkId(id);
    const { store } = this.#options;
    const record = store.find(id);
    if (record !== undefined && store.turnCount(id) > 0) return record;
    throw new RpcError("invalidRequest", `no rollout found for thread id ${id}`);
  }

  add({ record, chosen, overrides, isEphemeral, store, isKept }: Loading): LoadedThread {
    if (this.#isClosed) {
      const what = "the server is ending, expected one that goes on";
      throw new RpcError("invalidRequest", `Cannot begin a thread: ${what}`);
    }
    const { agent, home } = this.#options;
    const thread = new LoadedThread({
      record,
      chosen,
      overrides,
      isEphemeral,
      store,
      isKept,
      agent: agent.openThread(record.id),
      home: { ...home, idle: (idle) => void this.#unload(idle).catch(home.log) },
    });
    this.#loaded.set(record.id, thread);
    return thread;
  }

  /** The thread as it is loaded, or loads it: once, whoever else asks meanwhile. */
  load(id: string, load: (record: ThreadRecord) => Promise<Loading>): Promise<LoadedThread> {
    const loaded = this.#loaded.get(id);
    if (loaded !== undefined) return Promise.resolve(loaded);
    const under = this.#loading.get(id);
    if (under !== undefined) return under;
    const loading = this.#loadKept(id, load).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  /** Lets go of a thread, also of one that is being loaded: what runs in it ends. */
  async unload(id: string): Promise<void> {
    const loading = this.#loading.get(id);
    if (loading !== undefined) await loading.catch(() => {});
    const thread = this.#loaded.get(id);
    if (thread === undefined) return this.#leaving.get(id);
    this.#loaded.delete(id);
    const leaving = thread.close().finally(() => this.#leaving.delete(id));
    this.#leaving.set(id, leaving);
    await leaving;
  }

  /** One thread that cannot be given back keeps no other from its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { home } = this.#options;
    const ids = new Set(
      [this.#loaded, this.#loading, this.#leaving].flatMap((one) => [...one.keys()]),
    );
    await Promise.all([...ids].map((id) => this.unload(id).catch(home.log)));
    await this.#options.agent.close();
    this.#options.store.close();
  }

  async #loadKept(
    id: string,
    load: (record: ThreadRecord) => Promise<Loading>,
  ): Promise<LoadedThread> {
    const leaving = this.#leaving.get(id);
    if (leaving !== undefined) await leaving.catch(() => {});
    const record = this.kept(id);
    if (record.archived) {
      const what = "it is archived, expected one that is not. Unarchive it first";
      throw new RpcError("invalidRequest", `Cannot resume thread "${id}": ${what}`);
    }
    const { store } = this.#options;
    if (!store.claim(id)) {
      const what = "another process has it loaded, expected none";
      throw new RpcError("invalidRequest", `Cannot resume thread "${id}": ${what}`);
    }
    try {
      return this.add(await load(store.find(id) ?? record));
    } catch (error) {
      store.yield(id);
      throw error;
    }
  }

  async #unload(thread: LoadedThread): Promise<void> {
    if (thread.subscribers.size > 0 || thread.activeTurn !== undefined) return;
    await this.unload(thread.id);
    this.#options.unloaded(thread.id);
  }
}

/** What a record begins with. */
export function newRecord(
  id: string,
  settings: ThreadSettings,
  {
    now,
    originator,
    threadSource,
  }: {
    readonly now: number;
    readonly originator: string | null;
    readonly threadSource: string | null;
  },
): ThreadRecord {
  return {
    id,
    createdAt: now,
    updatedAt: now,
    forkedFrom: null,
    preview: "",
    name: null,
    archived: false,
    originator,
    threadSource,
    settings,
  };
}

function checkId(id: string): void {
  if (isThreadId(id)) return;
  const shown = JSON.stringify(id.slice(0, 100));
  throw new RpcError("invalidRequest", `invalid thread id: ${shown} is no UUID, expected one`);
}
