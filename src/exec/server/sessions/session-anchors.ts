/**
 * The anchors of one session: others neither see them nor can tell that they are there.
 *
 * They outlive a connection, as the session does, and end with it.
 */
import { randomUUID } from "node:crypto";
import type {
  Anchor,
  AnchorOperations,
  AnchorRequest,
  IntentAnswer,
  IntentQuestion,
} from "../../anchor-operations.ts";
import type { ShelfChange } from "../../anchors/shelf-change.ts";
import { ExecError } from "../../exec-error.ts";

/** One client leaves some to the others. */
const MOST_ANCHORS = 64;

export class SessionAnchors implements AnchorOperations {
  /** Not the session's own name, which is for its client alone: this one is in sentences. */
  readonly #tag = randomUUID();
  readonly #executor: AnchorOperations | undefined;
  readonly #opening = new Set<Promise<unknown>>();
  #isOver = false;
  #isUnused = true;

  constructor(executor: AnchorOperations | undefined) {
    this.#executor = executor;
  }

  /** Whether none was ever asked for. */
  get isUnused(): boolean {
    return this.#isUnused;
  }

  /** What the executor calls an anchor of this session. */
  nameOf(anchorId: string): string {
    return `${this.#tag}/${anchorId}`;
  }

  async open({ anchorId, ids, base, overlays }: AnchorRequest): Promise<Anchor> {
    this.#isUnused = false;
    const count = (await this.list()).length + this.#opening.size;
    // From here to the set of those that are being opened nothing is waited for: whoever ends all sees it.
    if (this.#isOver) throw cannotOpen(anchorId, "its session is over, expected one that is open");
    if (count >= MOST_ANCHORS) {
      throw cannotOpen(anchorId, `its session has ${count}, expected fewer than ${MOST_ANCHORS}`);
    }
    const opening = this.#all.open({ anchorId: this.nameOf(anchorId), ids, base, overlays });
    const settled = opening.catch(() => {});
    this.#opening.add(settled);
    settled.finally(() => this.#opening.delete(settled));
    return this.#own(await opening);
  }

  async find(anchorId: string): Promise<Anchor> {
    return this.#own(await this.#all.find(this.nameOf(anchorId)));
  }

  async list(): Promise<readonly Anchor[]> {
    const all = await this.#all.list();
    return all.filter((one) => one.anchorId.startsWith(this.nameOf(""))).map(this.#own);
  }

  compare(anchorId: string, question: IntentQuestion): Promise<IntentAnswer> {
    return this.#all.compare(this.nameOf(anchorId), question);
  }

  stock(anchorId: string, change: ShelfChange): Promise<void> {
    return this.#all.stock(this.nameOf(anchorId), change);
  }

  close(anchorId: string): Promise<boolean> {
    return this.#all.close(this.nameOf(anchorId));
  }

  /** Ends all of them, also those that are only being opened. */
  async closeAll(): Promise<void> {
    this.#isOver = true;
    if (this.#executor === undefined) return;
    await Promise.all(this.#opening);
    const open = await this.list();
    // What cannot be removed now is, by a later open; nothing runs in it any more.
    await Promise.allSettled(open.map(({ anchorId }) => this.close(anchorId)));
  }

  readonly #own = (anchor: Anchor): Anchor => ({
    ...anchor,
    anchorId: anchor.anchorId.slice(this.nameOf("").length),
  });

  get #all(): AnchorOperations {
    if (this.#executor !== undefined) return this.#executor;
    throw new ExecError("unenforceable", "Cannot use an anchor: this executor has none");
  }
}

function cannotOpen(anchorId: string, why: string): ExecError {
  return new ExecError("invalidRequest", `Cannot open anchor "${anchorId}": ${why}`);
}
