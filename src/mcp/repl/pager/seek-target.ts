/** Where in a text a command leads. */
import type { PagerCommand } from "./pager-command.ts";

/** The character that `:seek` means. */
export function seekTarget(
  text: string,
  { unit, to }: Extract<PagerCommand, { kind: "seek" }>,
): number {
  if (unit === "chars") return to;
  if (unit === "percent") return (text.length * to) / 100;
  let at = 0;
  for (let line = 1; line < to; line++) {
    const feed = text.indexOf("\n", at);
    if (feed === -1) return text.length;
    at = feed + 1;
  }
  return at;
}

/** The first character of the end that `:tail` means: a page unless it says how much. */
export function tailStart(
  text: string,
  { chars, lines }: Extract<PagerCommand, { kind: "tail" }>,
  limits: { readonly page: number; readonly most: number },
): number {
  const earliest = Math.max(0, text.length - limits.most);
  if (lines === undefined) return Math.max(earliest, text.length - (chars ?? limits.page));
  let at = text.length;
  for (let line = 0; line < lines && at > earliest; line++) {
    at = at < 2 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
  }
  return Math.max(earliest, at);
}
