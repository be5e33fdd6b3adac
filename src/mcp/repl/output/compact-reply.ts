/**
 * What was printed since the last reply, as the content of the next.
 *
 * Small output is shown whole. Of the rest a reply shows the beginning and the
 * end, and says where all of it is. Lines of the server are never cut.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ImageItem, OutputItem } from "./output-item.ts";
import { fitsBudget, type OutputSize, type ReplyBudget } from "./reply-budget.ts";
import type { ReplyContent } from "./reply-content.ts";
import { type Selection, showSelection } from "./show-selection.ts";
import type { Taken } from "./timeline.ts";
import { VisibleText, visibleLength } from "./visible-text.ts";

/** Where the output of a request lies on disk. */
export interface BundleView {
  readonly transcript?: string | undefined;
  readonly events?: string | undefined;
  readonly images?: string | undefined;
  /** Something did not fit into it. */
  readonly isCut: boolean;
}

const UNAVAILABLE = "output bundle unavailable";

/** Makes the content of a reply, never empty. `bundle` is where all of it was written, if anywhere. */
export function compactReply(
  taken: Taken,
  budget: ReplyBudget,
  bundle: BundleView | undefined,
): ReplyContent[] {
  const text = new VisibleText(lastStates(taken.items));
  if (fitsReply(taken, budget)) return showSelection(text, undefined);
  const hasImages = sizeOf(taken.items).images > 0;
  const selection = (hasImages ? selectImages : selectText)(text, budget, bundle);
  return [...showSelection(text, selection), ...(budget.hasLinks ? linksTo(bundle) : [])];
}

/** Whether a reply shows all of it, so that no bundle is named. */
export function fitsReply({ items, echoChars }: Taken, budget: ReplyBudget): boolean {
  const size = sizeOf(items);
  const isWhole = items.every(({ kind }) => kind !== "gap");
  return isWhole && fitsBudget({ ...size, chars: size.chars + echoChars }, budget);
}

/** What items count against a budget. */
export function sizeOf(items: readonly OutputItem[]): OutputSize {
  const images = items.filter((item) => item.kind === "image");
  const lost = items.reduce((sum, item) => sum + (item.kind === "gap" ? item.images : 0), 0);
  return {
    chars: items.reduce((sum, item) => sum + visibleLength(item), 0),
    images: images.length + lost,
    largestImage: images.reduce((max, { data }) => Math.max(max, data.length), 0),
  };
}

/** The items without the pictures that a later state replaces. */
function lastStates(items: readonly OutputItem[]): OutputItem[] {
  const last = new Map<number, ImageItem>();
  for (const item of items) if (item.kind === "image") last.set(item.plot, item);
  return items.filter((item) => item.kind !== "image" || last.get(item.plot) === item);
}

function selectText(
  text: VisibleText,
  { inlineChars }: ReplyBudget,
  bundle: BundleView | undefined,
): Selection {
  const place = bundle?.transcript ? `full output: ${bundle.transcript}` : UNAVAILABLE;
  const where = place + cutNote(bundle);
  const whole = { start: 0, end: text.length };
  if (text.length <= inlineChars && !text.hasGap) {
    return { ranges: [whole], images: [], marker: `...[${where}]...`, markerAt: text.length };
  }
  const head = text.headEnd(0, text.length, Math.floor((inlineChars * 2) / 3));
  const tail = text.tailStart(0, text.length, Math.floor(inlineChars / 3));
  return {
    ranges: [
      { start: 0, end: head },
      { start: tail, end: text.length },
    ],
    images: [],
    marker: `...[middle truncated; shown ${shownPart(text, head, tail)}; ${where}]...`,
    markerAt: head,
  };
}

/** The part from the beginning to `head` and from `tail` to the end, in lines if they are whole. */
function shownPart(text: VisibleText, head: number, tail: number): string {
  const isWhole = text.slice(head - 1, head) === "\n" && text.slice(tail - 1, tail) === "\n";
  if (text.lines < 3 || !isWhole) {
    return `chars 1-${head} and ${tail + 1}-${text.length} of ${text.length} total`;
  }
  const headLines = new VisibleText([textItem(text.slice(0, head))]).lines;
  const tailLines = new VisibleText([textItem(text.slice(tail, text.length))]).lines;
  return `lines 1-${headLines} and ${text.lines - tailLines + 1}-${text.lines} of ${text.lines} total`;
}

function textItem(text: string): OutputItem {
  return { kind: "text", stream: "stdout", text, mark: "" };
}

function selectImages(
  text: VisibleText,
  budget: ReplyBudget,
  bundle: BundleView | undefined,
): Selection {
  const { inlineChars, imageBytes } = budget;
  const images = text.placed.flatMap(({ item, start }) =>
    item.kind === "image" && item.data.length <= imageBytes ? [{ item, at: start }] : [],
  );
  const marker = `...[middle truncated; ${imageWords(images.length)} shown inline; ${placeOfAll(bundle)}]...`;
  const first = images.at(0);
  const last = images.at(-1);
  if (!first || !last) return { ...selectText(text, budget, bundle), marker };
  const before = text.headEnd(0, first.at, Math.floor(inlineChars / 3));
  const between = text.tailStart(first.at, last.at, Math.floor(inlineChars / 5));
  const after = text.tailStart(last.at, text.length, Math.floor(inlineChars / 8));
  return {
    ranges: [
      { start: 0, end: before },
      { start: between, end: last.at },
      { start: after, end: text.length },
    ],
    images: [first.item, last.item],
    marker,
    markerAt: first.item,
  };
}

function imageWords(count: number): string {
  if (count === 0) return "no image";
  return count === 1 ? "one image" : "first and last images";
}

function placeOfAll(bundle: BundleView | undefined): string {
  if (bundle?.events) return `ordered output bundle index: ${bundle.events}${cutNote(bundle)}`;
  if (bundle?.images) return `output bundle images: ${bundle.images}${cutNote(bundle)}`;
  return UNAVAILABLE;
}

function cutNote(bundle: BundleView | undefined): string {
  return bundle?.isCut ? "; later content omitted" : "";
}

function linksTo(bundle: BundleView | undefined): ReplyContent[] {
  const files = [bundle?.transcript, bundle?.events].filter((file) => file !== undefined);
  return files.map((file) => ({
    type: "resource_link",
    uri: pathToFileURL(file).href,
    name: path.basename(file),
    mimeType: "text/plain",
  }));
}
