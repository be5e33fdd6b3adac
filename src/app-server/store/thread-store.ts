/**
 * What threads leave behind, for later turns and other processes.
 *
 * The port; `openThreadStore` keeps it in a file. What a method returned from
 * was kept: a process that is killed right after has lost nothing.
 */
import type { ItemRecord, ThreadRecord, TurnRecord } from "./thread-record.ts";

export interface ThreadQuery {
  readonly archived: boolean;
  readonly sortKey: "createdAt" | "updatedAt";
  readonly direction: "ascending" | "descending";
  readonly limit: number;
  /** Of the last page; opaque. Throws `ThreadStoreError` "badCursor" on one it did not give. */
  readonly cursor: string | null;
  /** Only threads in one of these folders; null is every folder. */
  readonly cwds: readonly string[] | null;
  /** Only threads whose name or preview contains it, in whatever case. */
  readonly search: string | null;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly next: string | null;
  /** For going the other way, from the first of this page on, which comes again; null for an empty page. */
  readonly back: string | null;
}

/** Threads, and those that belong here and cannot be read: they have no policy, so they are no records. */
export interface ThreadPage extends Page<ThreadRecord> {
  readonly damaged: readonly { readonly id: string; readonly reason: string }[];
}

export interface PageQuery {
  readonly direction: "ascending" | "descending";
  readonly limit: number;
  readonly cursor: string | null;
}

/**
 * Throws `ThreadStoreError`: "missing" where the thread or the turn is not there, "busy" where another
 * living process has the thread whose settings, turns or items are to change.
 */
export interface ThreadStore {
  /** Throws "exists" where there is one. */
  create(thread: ThreadRecord): void;
  /** Throws "damaged" where it is there and its policy, or anything else of it, cannot be read. */
  find(id: string): ThreadRecord | undefined;
  /** Keeps members of a record. Sets `updatedAt`, as do turns that begin and end. */
  update(id: string, change: Partial<Omit<ThreadRecord, "id" | "createdAt">>): ThreadRecord;
  list(query: ThreadQuery): ThreadPage;
  /**
   * Makes the thread this process's. False while a living process other than this has it.
   * Turns and items that a dead one left in progress are ended: interrupted, failed.
   */
  claim(id: string): boolean;
  /** Gives it back, where this process has it. */
  yield(id: string): void;
  /** With what was said at its beginning, if anything was. Throws "exists" where the thread has one of this id. */
  startTurn(thread: string, turn: TurnRecord, opening?: ItemRecord): void;
  /** Ends a turn; items of it that are in progress become failed. */
  endTurn(thread: string, turn: TurnRecord): void;
  /** Keeps an item as it is now; one of the same id in the same turn is replaced in its place. */
  putItem(thread: string, ...items: ItemRecord[]): void;
  /** Whether somebody is being asked about an item that is in progress: where it ends so, it was never begun, and says so. */
  markAsked(thread: string, item: { turn: string; id: string }, isAsked: boolean): void;
  /** How many turns have begun; 0 is a thread that cannot be resumed. */
  turnCount(thread: string): number;
  turns(thread: string, query: PageQuery): Page<TurnRecord>;
  /** Of one turn, or, with null, of the thread. A page of long items has fewer than its limit. */
  items(thread: string, turn: string | null, query: PageQuery): Page<ItemRecord>;
  /** How much of it there is, as it is kept; 0 of a thread that is not there. */
  historyBytes(thread: string): number;
  /** All of the thread in order: for the model, for `thread/read` with its turns. */
  history(thread: string): readonly ItemRecord[];
  /**
   * Copies turns and items to a thread that is there, and throws "exists" where it has some.
   * What is in progress goes on in the other thread alone: here it is ended.
   */
  copyHistory(from: string, to: string): void;
  /** What is kept while it acts is kept together, or nothing of it is. Throws what came in the way. */
  atOnce<T>(act: () => T): T;
  close(): void;
}
