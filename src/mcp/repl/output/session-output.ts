/**
 * What a session prints, from the bytes of its worker to the content of replies.
 *
 * One timeline, one record per request. Memory is bounded whatever is printed:
 * the record goes to disk, and of what a reply cannot show only both ends stay.
 */
import type { Bundles } from "../bundles/bundles.ts";
import { RequestRecord } from "../bundles/request-record.ts";
import type { ReplOutput } from "../session/repl-output.ts";
import { compactReply, fitsReply } from "./compact-reply.ts";
import type { OutputEvent } from "./output-event.ts";
import type { ReplyBudget } from "./reply-budget.ts";
import type { ReplyContent } from "./reply-content.ts";
import { Timeline } from "./timeline.ts";

export interface SessionOutputOptions {
  readonly budget: ReplyBudget;
  /** Absent: there is nowhere to write to, and replies say so. */
  readonly bundles: Bundles | undefined;
  /** Bytes of output that may be held in memory. */
  readonly retainBytes: number;
}

/** What a session keeps in memory unless it is told otherwise. */
export const DEFAULT_RETAIN_BYTES = 64 << 20;

/** A reply needs a few budgets at either end, and no more. */
const END_BUDGETS = 8;

export class SessionOutput implements ReplOutput {
  /** It has files, and no pages. */
  readonly isPaging = false;
  readonly #options: SessionOutputOptions;
  readonly #timeline: Timeline;
  #record: RequestRecord;

  constructor(options: SessionOutputOptions) {
    const { budget, retainBytes } = options;
    const endChars = Math.min(END_BUDGETS * budget.inlineChars, Math.floor(retainBytes / 8));
    this.#options = options;
    this.#record = new RequestRecord(options.bundles, budget);
    this.#timeline = new Timeline({
      retention: {
        headChars: endChars,
        tailChars: endChars,
        imageBytes: Math.floor(retainBytes / 2),
      },
      record: (item) => this.#record.add(item),
    });
  }

  /** Whether the next reply has nothing to show. */
  get isEmpty(): boolean {
    return this.#timeline.isEmpty;
  }

  add(event: OutputEvent): void {
    this.#timeline.add(event);
  }

  /** No more will come of the characters that have begun: a request is over, or its worker is. */
  seal(): void {
    this.#timeline.seal();
  }

  /** A new request: a record of its own, that begins with what no reply has shown yet. */
  begin(): void {
    this.#timeline.begin();
    const untaken = this.#timeline.untaken();
    // Only the record it is in has all of it.
    if (untaken === undefined) return;
    this.#record.close();
    this.#record = new RequestRecord(this.#options.bundles, this.#options.budget);
    for (const item of untaken) this.#record.add(item);
  }

  /** The content of a reply: everything since the last one. */
  reply(): ReplyContent[] {
    const { budget } = this.#options;
    const taken = this.#timeline.take();
    const bundle = fitsReply(taken, budget) ? undefined : this.#record.spilled();
    return compactReply(taken, budget, bundle);
  }

  /** Every line is input: there are no pages to move in. */
  page(): undefined {
    return undefined;
  }

  dismiss(): void {}

  /** Ends the record. What was printed can still be replied. */
  close(): void {
    this.seal();
    this.#record.close();
  }
}
