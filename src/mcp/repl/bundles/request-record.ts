/**
 * What one request printed, kept until it is clear whether it needs a bundle.
 *
 * Small output stays in memory and is forgotten with the request. Once it is
 * over the budget of a reply, all of it goes to a bundle, and what follows goes
 * there at once: the bundle has the beginning too, whatever replies showed of it.
 */
import { type BundleView, sizeOf } from "../output/compact-reply.ts";
import type { OutputItem } from "../output/output-item.ts";
import { fitsBudget, type OutputSize, type ReplyBudget } from "../output/reply-budget.ts";
import type { Bundle } from "./bundle.ts";
import type { Bundles } from "./bundles.ts";

export class RequestRecord {
  readonly #bundles: Bundles | undefined;
  readonly #budget: ReplyBudget;
  #size: OutputSize = { chars: 0, images: 0, largestImage: 0 };
  /** Empty once they went to the bundle, or there is none to go to. */
  #staged: OutputItem[] = [];
  #isStaging = true;
  #bundle: Bundle | undefined;
  #closed: BundleView | undefined;

  constructor(bundles: Bundles | undefined, budget: ReplyBudget) {
    this.#bundles = bundles;
    this.#budget = budget;
  }

  add(item: OutputItem): void {
    if (item.kind === "status") return;
    this.#bundle?.append(item);
    if (!this.#isStaging) return;
    this.#staged.push(item);
    this.#size = sum(this.#size, item);
    if (!fitsBudget(this.#size, this.#budget)) this.#spill();
  }

  /** Puts everything added so far on disk and says where; `undefined` if there is no place for it. */
  spilled(): BundleView | undefined {
    if (this.#isStaging) this.#spill();
    return this.#bundle?.view() ?? this.#closed;
  }

  /** Nothing is added any more; what is on disk stays there until it is pruned. */
  close(): void {
    this.#closed = this.#bundle?.view();
    if (this.#bundle) this.#bundles?.release(this.#bundle);
    this.#bundle = undefined;
    this.#staged = [];
    this.#isStaging = false;
  }

  #spill(): void {
    const staged = this.#staged;
    this.#staged = [];
    this.#isStaging = false;
    this.#bundle = this.#bundles?.create();
    for (const item of staged) this.#bundle?.append(item);
  }
}

function sum(size: OutputSize, item: OutputItem): OutputSize {
  const { chars, images, largestImage } = sizeOf([item]);
  const lineChars = item.kind === "echo" || item.kind === "notice" ? item.text.length : 0;
  return {
    chars: size.chars + chars + lineChars,
    images: size.images + images,
    largestImage: Math.max(size.largestImage, largestImage),
  };
}
