import { uriOfNative } from "../../policy/index.ts";
import type { NetworkAnchor } from "../../sandbox/index.ts";
import type { Anchor, AnchorRequest } from "../anchor-operations.ts";
import { ExecError } from "../exec-error.ts";
import type { AnchorFolder } from "./anchor-folder.ts";
import type { AnchorPlace } from "./anchor-place.ts";
import { Shelf } from "./shelf.ts";
import type { ShelfChange } from "./shelf-change.ts";
import { unknownAnchor } from "./unknown-anchor.ts";

/** What an anchor has to know of what runs in it. */
export interface AnchoredProcess {
  /** Settles when it is over with all it started. */
  readonly over: Promise<void>;
  end(reason: string): void;
}

/** Starts a command in a place; in none where the anchor is unknown, which is to be refused. */
export type Begin<P> = (place: AnchorPlace | undefined) => Promise<P>;

/** Works in a place without running anything there; the signal says when to stop. */
export type AnchorWork<T> = (place: AnchorPlace, over: AbortSignal) => Promise<T>;

const OVER = "its anchor is over";

/** One anchor, from the moment its network is held. */
export class OpenAnchor {
  readonly anchor: Anchor;
  readonly place: AnchorPlace;
  /** Settles when nobody holds its network. */
  readonly lost: Promise<void>;
  readonly #folder: AnchorFolder;
  readonly #network: NetworkAnchor;
  readonly #shelf: Shelf;
  readonly #over = new AbortController();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #live = new Set<AnchoredProcess>();
  #ended: Promise<void> | undefined;

  constructor(
    { anchorId, ids, layer, base }: AnchorRequest,
    folder: AnchorFolder,
    network: NetworkAnchor,
  ) {
    const { home, tmp, shelf } = folder;
    this.#folder = folder;
    this.#network = network;
    const over = this.#over.signal;
    this.place = { home, tmp, shelf, layer, base, network: network.network, over };
    this.#shelf = new Shelf(shelf);
    this.lost = network.over;
    this.anchor = {
      anchorId,
      ids,
      home: uriOfNative(home),
      tmp: uriOfNative(tmp),
      shelf: uriOfNative(shelf),
      createdAt: Date.now(),
    };
  }

  isHeld(): boolean {
    return this.#ended === undefined && this.#network.isHeld();
  }

  async start<P extends AnchoredProcess>(begin: Begin<P>): Promise<P> {
    const starting = begin(this.place);
    const settled = starting.then(
      (process) => this.#keep(process),
      () => {},
    );
    this.#starting.add(settled);
    settled.finally(() => this.#starting.delete(settled));
    try {
      return await starting;
    } catch (error) {
      // Whatever came in the way: there was nothing left to start it in.
      if (this.isHeld() || !(error instanceof ExecError)) throw error;
      throw unknownAnchor(this.anchor.anchorId, error);
    }
  }

  /** Its folders stay until the work is over. */
  async use<T>(work: AnchorWork<T>): Promise<T> {
    const working = work(this.place, this.#over.signal);
    const settled = working.catch(() => {});
    this.#working.add(settled);
    settled.finally(() => this.#working.delete(settled));
    return working;
  }

  stock(change: ShelfChange): Promise<void> {
    return this.use(() => this.#shelf.change(change));
  }

  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  #keep(process: AnchoredProcess): void {
    this.#live.add(process);
    void process.over.finally(() => this.#live.delete(process));
    if (this.#ended !== undefined) process.end(OVER);
  }

  /** Nothing runs in it any more when its folders are removed. */
  async #end(): Promise<void> {
    this.#over.abort(unknownAnchor(this.anchor.anchorId));
    for (const process of this.#live) process.end(OVER);
    await Promise.all(this.#starting);
    await Promise.all([...this.#live].map(({ over }) => over));
    await Promise.all(this.#working);
    await this.#network.close();
    await this.#folder.remove();
  }
}
