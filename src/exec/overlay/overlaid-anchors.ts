/**
 * Anchors with overlays beside those without: each is held by an executor of its own.
 *
 * To whoever uses them they are anchors like any other. What is started or done
 * in one is handed to its executor, and so is nothing else.
 */
import { type AbsolutePath, type PathUri, uriOfNative } from "../../policy/index.ts";
import { mountPoints, SandboxError } from "../../sandbox/index.ts";
import type {
  Anchor,
  AnchorOperations,
  AnchorRequest,
  IntentAnswer,
  IntentQuestion,
} from "../anchor-operations.ts";
import { cannotOpenAnchor } from "../anchors/cannot-open-anchor.ts";
import type { LocalAnchors } from "../anchors/local-anchors.ts";
import { nameOfAnchor } from "../anchors/name-of-anchor.ts";
import type { ShelfChange } from "../anchors/shelf-change.ts";
import { unknownAnchor } from "../anchors/unknown-anchor.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import type { Executor } from "../executor.ts";
import { choosePlaces, refuseMounts, refuseSystem } from "./choose-places.ts";
import type { OverlaidExecutor } from "./overlaid-executor.ts";

export interface OverlayGround {
  readonly host: ExecHost;
  /** Where receipts are kept, which the executor of an anchor opens for itself. */
  readonly home: AbsolutePath;
}

/** What an anchor is called by its executor, which has no other. */
export const INNER = "overlaid";
/** Each is a whole process. */
const MOST = 64;

interface Overlaid {
  readonly held: OverlaidExecutor;
  readonly anchor: Anchor;
  /** What this executor allowed when it was opened. */
  readonly bounds: string;
}

export class OverlaidAnchors implements AnchorOperations {
  readonly hasOverlays = true;
  readonly #plain: LocalAnchors;
  readonly #ground: OverlayGround;
  readonly #overlaid = new Map<string, Overlaid>();
  readonly #opening = new Map<string, Promise<unknown>>();
  /** Those that are being taken down, with their names. */
  readonly #closing = new Map<Promise<unknown>, string>();
  /** How many with overlays are being made. */
  #making = 0;
  #isClosed = false;

  constructor(plain: LocalAnchors, ground: OverlayGround) {
    this.#plain = plain;
    this.#ground = ground;
  }

  async open(request: AnchorRequest): Promise<Anchor> {
    const { anchorId, overlays = [] } = request;
    if (this.#opening.has(anchorId) || this.#overlaid.has(anchorId)) throw taken(anchorId);
    const isApart = overlays.length > 0;
    if (isApart && (this.#isClosed || this.#overlaid.size + this.#making >= MOST)) {
      throw full(anchorId);
    }
    // From here on the name is taken, for both kinds.
    const opening = isApart ? this.#openApart(request, overlays) : this.#plain.open(request);
    this.#opening.set(
      anchorId,
      opening.catch(() => {}),
    );
    try {
      return await opening;
    } catch (error) {
      if (!isApart || !(error instanceof SandboxError)) throw error;
      throw new ExecError("unenforceable", error.message, { cause: error, field: "overlays" });
    } finally {
      this.#opening.delete(anchorId);
    }
  }

  async #openApart(request: AnchorRequest, overlays: readonly PathUri[]): Promise<Anchor> {
    this.#making += 1;
    try {
      if (await isOpen(this.#plain, request.anchorId)) throw taken(request.anchorId);
      return (await this.#make(request, overlays)).anchor;
    } finally {
      this.#making -= 1;
    }
  }

  async find(anchorId: string): Promise<Anchor> {
    const one = this.#overlaid.get(anchorId);
    if (one === undefined) return this.#plain.find(anchorId);
    await this.within(anchorId, ({ anchors }) => anchors?.find(INNER));
    return one.anchor;
  }

  async list(): Promise<readonly Anchor[]> {
    const alive = [...this.#overlaid.values()].filter(({ held }) => held.isAlive());
    return [...(await this.#plain.list()), ...alive.map(({ anchor }) => anchor)];
  }

  async compare(anchorId: string, question: IntentQuestion): Promise<IntentAnswer> {
    return (
      (await this.within(anchorId, ({ anchors }) => anchors?.compare(INNER, question))) ??
      this.#plain.compare(anchorId, question)
    );
  }

  async stock(anchorId: string, change: ShelfChange): Promise<void> {
    if (!this.has(anchorId)) return this.#plain.stock(anchorId, change);
    await this.within(anchorId, ({ anchors }) => anchors?.stock(INNER, change));
  }

  async close(anchorId: string): Promise<boolean> {
    await this.#opening.get(anchorId);
    const one = this.#overlaid.get(anchorId);
    if (one !== undefined) {
      await this.#takeDown(anchorId, one);
      return true;
    }
    await Promise.all([...this.#closing].map(([down, name]) => name === anchorId && down));
    return this.#plain.close(anchorId);
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#opening.values());
    await Promise.allSettled([...this.#overlaid.keys()].map((anchorId) => this.close(anchorId)));
    await Promise.all(this.#closing.keys());
  }

  has(anchorId: string | null): anchorId is string {
    return anchorId !== null && this.#overlaid.has(anchorId);
  }

  /** Hands work to the executor of an anchor; nothing where it has no overlays. */
  async within<T>(
    anchorId: string,
    work: (executor: Executor) => Promise<T> | undefined,
  ): Promise<T | undefined> {
    const one = this.#overlaid.get(anchorId);
    if (one === undefined) return undefined;
    if (!one.held.isAlive()) throw unknownAnchor(anchorId);
    if (one.bounds !== boundsOf(this.#ground.host)) throw stale(anchorId);
    try {
      return await work(one.held.executor);
    } catch (error) {
      if (one.held.isAlive() || !(error instanceof ExecError)) throw error;
      throw unknownAnchor(anchorId, error);
    }
  }

  async #make(request: AnchorRequest, overlays: readonly PathUri[]): Promise<Overlaid> {
    const { host, home } = this.#ground;
    const { anchorId, ids, base, layer } = request;
    const ofLayer = layer && uriOfNative(layer.path);
    const asked = choosePlaces(
      overlays.filter((one) => one !== ofLayer),
      host,
    );
    const isWritten = layer !== undefined && overlays.length > asked.length;
    if (isWritten) refuseSystem(layer.path);
    const places = [...asked, ...(isWritten ? [layer.path] : [])];
    refuseMounts(places, mountPoints());
    const bounds = boundsOf(host);
    // What it takes is loaded by whoever needs it: a short command does not.
    const { startOverlaidExecutor } = await import("./overlaid-executor.ts");
    const held = await startOverlaidExecutor({ host, home, places, request });
    try {
      const inner = { anchorId: INNER, ids, base };
      const made = await held.begin(async () => held.executor.anchors?.open(inner));
      if (made === undefined) throw unknownAnchor(anchorId);
      const one = { held, bounds, anchor: { ...made, anchorId, ids } };
      this.#overlaid.set(anchorId, one);
      void held.over.finally(() => this.#forget(anchorId, one)).catch(() => {});
      return one;
    } catch (error) {
      await held.close().catch(() => {});
      throw error;
    }
  }

  /** Who follows a command of it hears how that ended. Whoever closes all waits for it. */
  async #takeDown(anchorId: string, { held }: Overlaid): Promise<void> {
    this.#overlaid.delete(anchorId);
    const closed = held.close(async () => held.executor.anchors?.close(INNER));
    const down = closed.catch(() => {});
    this.#closing.set(down, anchorId);
    await closed.finally(() => this.#closing.delete(down));
  }

  #forget(anchorId: string, one: Overlaid): void {
    if (this.#overlaid.get(anchorId) === one) this.#overlaid.delete(anchorId);
  }
}

/** What its executor was told once, and this one may be told otherwise later. */
function boundsOf({ bounds, own }: ExecHost): string {
  return JSON.stringify([bounds, own.hidden, own.readOnly]);
}

async function isOpen(anchors: LocalAnchors, anchorId: string): Promise<boolean> {
  return anchors.find(anchorId).then(
    () => true,
    () => false,
  );
}

function taken(anchorId: string): ExecError {
  return cannotOpenAnchor(anchorId, "there is one of that name, expected another name");
}

function full(anchorId: string): ExecError {
  return cannotOpenAnchor(
    anchorId,
    `${MOST} with overlays are open, or none can be, expected fewer`,
  );
}

function stale(anchorId: string): ExecError {
  return new ExecError(
    "notAllowed",
    `Cannot use anchor "${nameOfAnchor(anchorId)}": what this machine allows has changed since it was opened, expected a new one`,
    { field: "anchor" },
  );
}
