/**
 * The anchors of this machine: made, entered by commands, ended with all that runs in them.
 *
 * What an anchor promises ends with the process that holds its network. From
 * then on it is unknown, and what runs in it is ended: nobody could say which
 * network that is in.
 */
import { type AbsolutePath, type BoundProfile, boundDigest } from "../../policy/index.ts";
import {
  isWithinOnHost,
  type NetworkAnchor,
  SandboxError,
  startAnchor,
} from "../../sandbox/index.ts";
import type {
  Anchor,
  AnchorOperations,
  AnchorRequest,
  IntentAnswer,
  IntentQuestion,
} from "../anchor-operations.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { pathOf } from "../intent/bind-intent.ts";
import { type AnchorFolder, anchorsFolder } from "./anchor-folder.ts";
import { writeLayerProfile } from "./anchor-layer.ts";
import type { AnchorPlace } from "./anchor-place.ts";
import { bindInAnchor, ownInAnchor } from "./bind-in-anchor.ts";
import { cannotOpenAnchor } from "./cannot-open-anchor.ts";
import { makeAnchorFolder } from "./make-anchor-folder.ts";
import { type AnchoredProcess, type AnchorWork, type Begin, OpenAnchor } from "./open-anchor.ts";
import type { ShelfChange } from "./shelf-change.ts";
import { SpareNetwork } from "./spare-network.ts";
import { unknownAnchor } from "./unknown-anchor.ts";

/** How an anchor gets its network. */
export type HoldNetwork = (records: AbsolutePath) => Promise<NetworkAnchor>;

/** Names are kept and said again, and a client chooses them. */
const MOST_NAME = 256;
/** Each has a process, and open files of this one. */
const MOST_ANCHORS = 1024;

export class LocalAnchors implements AnchorOperations {
  readonly #host: ExecHost;
  readonly #networks: SpareNetwork;
  readonly #anchors = new Map<string, OpenAnchor>();
  readonly #opening = new Map<string, Promise<OpenAnchor>>();
  readonly #ending = new Map<string, Promise<void>>();
  /** What is being made or taken down. */
  readonly #changing = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(host: ExecHost, hold: HoldNetwork = startAnchor) {
    this.#host = host;
    this.#networks = new SpareNetwork(() => hold(host.records));
  }

  async open(request: AnchorRequest): Promise<Anchor> {
    const { anchorId, overlays = [] } = request;
    this.#refuseName(anchorId);
    if (overlays.length > 0) throw cannotOpenAnchor(anchorId, "this executor has no overlays");
    const making = this.#until(this.#make(request));
    this.#opening.set(anchorId, making);
    try {
      const made = await making.finally(() => this.#opening.delete(anchorId));
      this.#anchors.set(anchorId, made);
      void made.lost.then(() => this.#end(anchorId, made)).catch(() => {});
      if (this.#isClosed) throw await this.#tooLate(anchorId, made);
      return made.anchor;
    } catch (error) {
      throw error instanceof SandboxError ? unenforceable(error) : error;
    }
  }

  async find(anchorId: string): Promise<Anchor> {
    return this.#known(anchorId).anchor;
  }

  async list(): Promise<readonly Anchor[]> {
    const open = [...this.#anchors.values()].filter((one) => one.isHeld());
    return open.map(({ anchor }) => anchor);
  }

  async compare(anchorId: string, question: IntentQuestion): Promise<IntentAnswer> {
    const { place } = this.#known(anchorId);
    const { intent, base } = question;
    const cwd = pathOf(question.cwd, "cwd", this.#host);
    const { bound, within } = bindInAnchor({ intent, cwd }, { ...place, base }, this.#host);
    return {
      boundDigest: boundDigest(bound),
      isWithin: within === undefined || this.#isWithin(bound, within, place),
    };
  }

  async stock(anchorId: string, change: ShelfChange): Promise<void> {
    await this.#known(anchorId).stock(change);
  }

  async close(anchorId: string): Promise<boolean> {
    const opening = await this.#opening.get(anchorId)?.catch(() => undefined);
    const open = opening ?? this.#anchors.get(anchorId);
    if (open !== undefined) await this.#end(anchorId, open);
    // One that ends by itself is over for whoever asks, and still there for whoever looks.
    else await this.#ending.get(anchorId);
    return open !== undefined;
  }

  /** Ends all of them; none can be opened from then on. A folder that cannot be removed is, later, by others. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#anchors.keys()].map((anchorId) => this.close(anchorId)));
    while (this.#changing.size > 0) await Promise.allSettled(this.#changing);
    await this.#networks.close();
  }

  /** Starts a command in an anchor, which ends it when it ends itself. */
  async start<P extends AnchoredProcess>(anchorId: string, begin: Begin<P>): Promise<P> {
    const open = this.#anchors.get(anchorId);
    return open?.isHeld() ? open.start(begin) : begin(undefined);
  }

  /** Works in an anchor, which is not taken down before that is over. Throws `unknownAnchor` unless it is alive. */
  async use<T>(anchorId: string, work: AnchorWork<T>): Promise<T> {
    return this.#known(anchorId).use(work);
  }

  /** As files lie now; what is started looks again, by the answers that it is planned with. */
  #isWithin(bound: BoundProfile, base: BoundProfile, place: AnchorPlace): boolean {
    try {
      return isWithinOnHost(bound, base, ownInAnchor(this.#host, place));
    } catch (error) {
      throw error instanceof SandboxError ? unenforceable(error) : error;
    }
  }

  #known(anchorId: string): OpenAnchor {
    const open = this.#anchors.get(anchorId);
    if (open?.isHeld()) return open;
    throw unknownAnchor(anchorId);
  }

  #refuseName(anchorId: string): void {
    const what = this.#faultOf(anchorId);
    if (what !== undefined) throw cannotOpenAnchor(anchorId, what);
  }

  #faultOf(anchorId: string): string | undefined {
    if (anchorId === "" || anchorId.length > MOST_NAME) {
      return `its name has ${anchorId.length} characters, expected 1 to ${MOST_NAME}`;
    }
    if (this.#isClosed) return CLOSED;
    if (this.#opening.has(anchorId) || this.#anchors.get(anchorId)?.isHeld()) {
      return "there is one of that name, expected another name";
    }
    if (this.#anchors.size + this.#opening.size < MOST_ANCHORS) return undefined;
    return `${MOST_ANCHORS} are open, expected fewer`;
  }

  /** Its folders are made while its network comes to life. */
  async #make(request: AnchorRequest): Promise<OpenAnchor> {
    const holding = this.#networks.take();
    const making = makeAnchorFolder(anchorsFolder(this.#host.records));
    try {
      const [network, folder] = await Promise.all([holding, making]);
      if (request.layer !== undefined) writeLayerProfile(folder.home);
      return new OpenAnchor(request, folder, network);
    } catch (error) {
      await Promise.allSettled([holding.then((one) => one.close()), making.then(removed)]);
      throw error;
    }
  }

  #end(anchorId: string, open: OpenAnchor): Promise<void> {
    if (this.#anchors.get(anchorId) === open) this.#anchors.delete(anchorId);
    const ending = this.#until(this.#takeDown(open));
    this.#ending.set(anchorId, ending);
    const forget = () => this.#ending.get(anchorId) === ending && this.#ending.delete(anchorId);
    ending.then(forget, forget);
    return ending;
  }

  /** Where none is left, nothing is kept for the next one. */
  async #takeDown(open: OpenAnchor): Promise<void> {
    try {
      await open.end();
    } finally {
      if (this.#anchors.size + this.#opening.size === 0) await this.#networks.drop();
    }
  }

  async #tooLate(anchorId: string, made: OpenAnchor): Promise<ExecError> {
    await this.#end(anchorId, made);
    return cannotOpenAnchor(anchorId, CLOSED);
  }

  /** Whoever closes all waits for it. */
  #until<T>(change: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = change.then(
      () => this.#changing.delete(settled),
      () => this.#changing.delete(settled),
    );
    this.#changing.add(settled);
    return change;
  }
}

const removed = (folder: AnchorFolder) => folder.remove();

const CLOSED = "this executor is closed, expected one that is open";

function unenforceable(error: SandboxError): ExecError {
  return new ExecError("unenforceable", error.message, { cause: error });
}
