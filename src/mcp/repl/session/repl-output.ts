import type { OutputEvent } from "../output/output-event.ts";
import type { ReplyContent } from "../output/reply-content.ts";

/** Where what a session prints becomes what replies show. */
export interface ReplOutput {
  /** Whether the next reply has nothing to show. */
  readonly isEmpty: boolean;
  /** Whether there are pages that were not shown, and commands to move in them. */
  readonly isPaging: boolean;
  add(event: OutputEvent): void;
  /** A new request begins. */
  begin(): void;
  /** A request, or its worker, is over. */
  seal(): void;
  /** Everything since the last reply, never empty. */
  reply(): ReplyContent[];
  /** What a command of the pager shows; nothing where the text is none. An empty one is the next page. */
  page(command: string): ReplyContent[] | undefined;
  /** What was not shown is not wanted any more. */
  dismiss(): void;
  close(): void;
}
