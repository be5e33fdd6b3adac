/** Everything a pager leads through: one text, and the pictures at their places in it. */
import type { ImageItem, OutputItem } from "../output/output-item.ts";
import { rendered } from "../output/visible-text.ts";

export interface PagedImage {
  readonly at: number;
  readonly item: ImageItem;
}

export interface PagedText {
  readonly text: string;
  readonly images: readonly PagedImage[];
}

const DROPPED = "[repl] output truncated (older output dropped)\n";

/** Puts items into one text. Lines of the server are lines of it; those about a reply are not in it. */
export function pagedText(items: readonly OutputItem[]): PagedText {
  const parts: string[] = [];
  const images: PagedImage[] = [];
  let length = 0;
  for (const item of items) {
    if (item.kind === "image") images.push({ at: length, item });
    const part = partOf(item, parts.at(-1)?.endsWith("\n") ?? true);
    if (part === "") continue;
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join(""), images };
}

function partOf(item: OutputItem, isAtLineStart: boolean): string {
  if (item.kind === "text") return rendered(item);
  const feed = isAtLineStart ? "" : "\n";
  if (item.kind === "gap") return feed + DROPPED;
  if (item.kind !== "notice") return "";
  return `${feed}${item.text}${item.text.endsWith("\n") ? "" : "\n"}`;
}
