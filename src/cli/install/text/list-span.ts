import { isContent, type Span, tokensFrom } from "./token.ts";

/** A list, or a table in braces, with its brackets and what stands between the commas. */
export interface ListSpan extends Span {
  readonly items: readonly Span[];
}

/** The list whose bracket opens at a place. */
export function listAt(text: string, start: number): ListSpan {
  const items: Span[] = [];
  let index = 0;
  for (const { kind, depth, ...span } of tokensFrom(text, start + 1)) {
    if (depth === 0 && kind === "close") return { start, end: span.end, items };
    if (depth === 0 && kind === "comma") {
      index = items.length;
    } else if (isContent(kind)) {
      items[index] = { start: items[index]?.start ?? span.start, end: span.end };
    }
  }
  return { start, end: text.length, items };
}
