/**
 * What a session prints, a page at a time.
 *
 * Nothing goes to disk: what is not shown yet is held in memory, the newest of
 * it if there is too much. The prompt comes when the pages are over.
 */
import type { OutputEvent } from "../output/output-event.ts";
import type { OutputItem } from "../output/output-item.ts";
import type { ReplyContent } from "../output/reply-content.ts";
import { Timeline } from "../output/timeline.ts";
import type { ReplOutput } from "../session/repl-output.ts";
import { Pager, type PagerReply } from "./pager.ts";

export interface PagedOutputOptions {
  readonly pageChars: number;
  /** Bytes of output that may be held in memory. */
  readonly retainBytes: number;
}

export class PagedOutput implements ReplOutput {
  readonly #timeline: Timeline;
  readonly #pager: Pager;
  /** The prompt of the next reply. */
  #asked = "";
  /** That of the last one, where it comes behind its pages. */
  #prompt = "";

  constructor({ pageChars, retainBytes }: PagedOutputOptions) {
    this.#pager = new Pager(pageChars);
    // A character takes two bytes, and is there twice while pages are made of it.
    const tailChars = Math.floor(retainBytes / 4);
    const imageBytes = Math.floor(retainBytes / 2);
    this.#timeline = new Timeline({ retention: { headChars: 0, tailChars, imageBytes } });
  }

  get isEmpty(): boolean {
    return this.#timeline.isEmpty;
  }

  get isPaging(): boolean {
    return this.#pager.isActive;
  }

  add(event: OutputEvent): void {
    if (event.kind === "prompt") this.#asked = event.text;
    else this.#timeline.add(event);
  }

  begin(): void {
    this.#asked = "";
    this.#timeline.begin();
  }

  seal(): void {
    this.#timeline.seal();
  }

  reply(): ReplyContent[] {
    const { items } = this.#timeline.take();
    this.#prompt = this.#asked;
    this.#asked = "";
    const reply = this.#pager.open(items);
    return this.#withPrompt(reply, endsInOutput(items)) ?? [];
  }

  page(command: string): ReplyContent[] | undefined {
    return this.#withPrompt(this.#pager.command(command), false);
  }

  dismiss(): void {
    this.#pager.close();
    this.#prompt = "";
  }

  close(): void {
    this.dismiss();
  }

  /** The prompt behind the last page, on the line that the output left it. */
  #withPrompt(reply: PagerReply, continues: boolean): ReplyContent[] | undefined {
    if (reply.kind === "notMine") return undefined;
    const content = [...reply.content];
    if (reply.kind === "page" || this.#prompt === "") return content;
    const last = content.at(-1);
    const isJoined = last?.type === "text" && (continues || last.text === "");
    if (isJoined) content.pop();
    content.push({ type: "text", text: (isJoined ? last.text : "") + this.#prompt });
    this.#prompt = "";
    return content;
  }
}

function endsInOutput(items: readonly OutputItem[]): boolean {
  const last = items.at(-1);
  return last?.kind === "text" && last.stream === "stdout";
}
