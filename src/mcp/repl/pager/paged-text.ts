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

/** A line of the server, and where in the text it stands; one that is about a reply stands nowhere. */
export interface ServerLine {
  readonly at: number;
  readonly text: string;
}

const DROPPED = "[repl] output truncated (older output dropped)\n";

/** Puts items into one text. Lines of the server are lines of it; those about a reply are not in it. */
export function pagedText(
  items: readonly OutputItem[],
): PagedText & { readonly lines: readonly ServerLine[] } {
  const parts: string[] = [];
  const images: PagedImage[] = [];
  const lines: ServerLine[] = [];
  let length = 0;
  for (const item of items) {
    if (item.kind === "image") images.push({ at: length, item });
    if (item.kind === "status") lines.push({ at: Number.POSITIVE_INFINITY, text: item.text });
    if (item.kind === "notice") lines.push({ at: length, text: item.text });
    const part = partOf(item, parts.at(-1)?.endsWith("\n") ?? true);
    if (part === "") continue;
    parts.push(part);
    length += part.length;
  }
  return { text: parts.join(""), images, lines };
}

function partOf(item: OutputItem, isAtLineStart: boolean): string {
  if (item.kind === "text") return rendered(item);
  const feed = isAtLineStart ? "" : "\n";
  if (item.kind === "gap") return feed + DROPPED;
  if (item.kind !== "notice") return "";
  return `${feed}${item.text}${item.text.endsWith("\n") ? "" : "\n"}`;
}
