/** The chosen parts of what was printed, as content. */
import type { ImageItem, TextItem } from "./output-item.ts";
import type { ReplyContent } from "./reply-content.ts";
import { type PlacedItem, rendered, type VisibleText } from "./visible-text.ts";

export interface CharRange {
  readonly start: number;
  readonly end: number;
}

export interface Selection {
  /** Characters that are shown, in order. */
  readonly ranges: readonly CharRange[];
  readonly images: readonly ImageItem[];
  /** Stands for what is not shown: before the character, or after the picture, at `markerAt`. */
  readonly marker: string;
  readonly markerAt: number | ImageItem;
}

const STDERR_MARK = "stderr: ";

/** Content for the selected part, or for everything; there is always one item. */
export function showSelection(text: VisibleText, selection: Selection | undefined): ReplyContent[] {
  const content = new Content(selection);
  const ranges = selection?.ranges ?? [{ start: 0, end: text.length }];
  for (const one of text.placed) {
    for (const part of partsOf(one, ranges)) {
      content.reach(part.start);
      content.text(part.stream, part.text);
    }
    content.reach(one.end);
    const { item } = one;
    if (item.kind === "notice" || item.kind === "status") content.line(item.text);
    if (item.kind === "image") content.image(item, selection?.images.includes(item) ?? true);
  }
  return content.items();
}

interface TextPart {
  readonly stream: TextItem["stream"];
  readonly text: string;
  readonly start: number;
}

/** What the ranges leave of one item. Text of stderr whose mark is cut off gets another. */
function partsOf({ item, start, end }: PlacedItem, ranges: readonly CharRange[]): TextPart[] {
  if (item.kind !== "text") return [];
  return ranges.flatMap((range) => {
    const from = Math.max(start, range.start);
    const to = Math.min(end, range.end);
    if (from >= to) return [];
    const mark = item.stream === "stderr" && from > start ? STDERR_MARK : "";
    const { stream } = item;
    return [{ stream, text: mark + rendered(item).slice(from - start, to - start), start: from }];
  });
}

/** Content under construction: neighbouring text of one stream is one item, the marker is set once. */
class Content {
  readonly #items: ReplyContent[] = [];
  #open: { stream: TextItem["stream"]; parts: string[] } | undefined;
  #unmarked: Selection | undefined;

  constructor(selection: Selection | undefined) {
    this.#unmarked = selection;
  }

  /** The character at `at` is next. */
  reach(at: number): void {
    const { markerAt } = this.#unmarked ?? {};
    if (typeof markerAt === "number" && at >= markerAt) this.#mark();
  }

  text(stream: TextItem["stream"], text: string): void {
    if (this.#open?.stream !== stream) this.#close();
    this.#open ??= { stream, parts: [] };
    this.#open.parts.push(text);
  }

  line(text: string): void {
    this.#close();
    this.#items.push({ type: "text", text });
  }

  image(item: ImageItem, isShown: boolean): void {
    const { data, mimeType } = item;
    if (!isShown) return;
    this.#close();
    this.#items.push({ type: "image", data: Buffer.from(data).toString("base64"), mimeType });
    if (this.#unmarked?.markerAt === item) this.#mark();
  }

  items(): ReplyContent[] {
    this.#mark();
    this.#close();
    return this.#items.length > 0 ? this.#items : [{ type: "text", text: "" }];
  }

  /** On a line of its own, in the text it stands in. */
  #mark(): void {
    if (!this.#unmarked) return;
    this.#open ??= { stream: "stdout", parts: [] };
    const before = this.#open.parts.at(-1) ?? "\n";
    this.#open.parts.push(`${before.endsWith("\n") ? "" : "\n"}${this.#unmarked.marker}\n`);
    this.#unmarked = undefined;
  }

  #close(): void {
    if (this.#open) this.#items.push({ type: "text", text: this.#open.parts.join("") });
    this.#open = undefined;
  }
}
