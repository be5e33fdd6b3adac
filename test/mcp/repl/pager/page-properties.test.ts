/** Pages put together are the whole, and each is no longer than a page. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutputItem } from "../../../../src/mcp/repl/output/output-item.ts";
import type { ReplyContent } from "../../../../src/mcp/repl/output/reply-content.ts";
import { CharRanges } from "../../../../src/mcp/repl/pager/char-ranges.ts";
import { Pager } from "../../../../src/mcp/repl/pager/pager.ts";
import { campaign } from "../../../support/campaign.ts";
import { read } from "../support/printed.ts";

const PAGE = 64;
const piece = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.string({ maxLength: 90, unit: fc.constantFrom("a", "b", "\n", "é", "😀") }),
  },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

/** Text, and pictures where there is none. */
function itemsOf(pieces: readonly (string | undefined)[]): OutputItem[] {
  return pieces.map((text, plot) =>
    text === undefined
      ? { kind: "image", plot, mimeType: "image/png", data: Buffer.from(`${plot}`) }
      : { kind: "text", stream: "stdout", text, mark: "" },
  );
}

function wordsOf(item: OutputItem): string {
  if (item.kind === "image") return `[${Buffer.from(item.data).toString("base64")}]`;
  return item.kind === "text" ? item.text : "";
}

/** Content without its footer, pictures by their bytes. */
function pageOf(content: readonly ReplyContent[], hasFooter: boolean): string[] {
  const page = hasFooter ? content.slice(0, -1) : content;
  return page.map((item) => (item.type === "image" ? `[${item.data}]` : read([item])));
}

/** The pages on the way to the end. */
function walk(items: readonly OutputItem[]): string[][] {
  const pager = new Pager(PAGE);
  const pages: string[][] = [];
  let reply = pager.open(items);
  for (; reply.kind === "page"; reply = pager.command("")) pages.push(pageOf(reply.content, true));
  if (reply.kind === "end") pages.push(pageOf(reply.content, pages.length > 0));
  return pages;
}

describe("for any output", () => {
  it("the pages are all of it, in order, and none is too long", () => {
    const whole = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const items = itemsOf(pieces);
      const pages = walk(items);
      expect(pages.flat().join("")).toBe(items.map(wordsOf).join(""));
      for (const page of pages) {
        const text = page.filter((part) => !part.startsWith("[")).join("");
        expect(text.length).toBeLessThanOrEqual(PAGE);
        expect(text.isWellFormed()).toBe(true);
      }
    });
    fc.assert(whole, campaign(10_000));
  });

  it("any commands are answered, and the pager ends", () => {
    const word = fc.constantFrom(
      ...[":next", ":skip 1", ":range 3 50", ":seek 10", ":seek 90%", ":/a", ":n", ":p", ":goto 2"],
      ...[":where b", ":matches -C 2 a", ":hits b", ":help", ":seek line 3", ":tail 2l", ":x"],
    );
    const property = fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(word),
      (pieces, words) => {
        const pager = new Pager(PAGE);
        pager.open(itemsOf(pieces));
        for (const line of words) {
          const reply = pager.command(line);
          const texts =
            reply.kind === "notMine" ? [] : reply.content.filter((item) => item.type === "text");
          expect(texts.every(({ text }) => text.isWellFormed())).toBe(true);
        }
        for (let count = 0; pager.isActive; count++) {
          expect(count).toBeLessThan(200);
          pager.command("");
        }
      },
    );
    fc.assert(property, campaign(5_000));
  });

  it("a set of ranges has what was added and nothing else", () => {
    const range = fc.tuple(fc.nat(40), fc.nat(40));
    const property = fc.property(fc.array(range), (added) => {
      const ranges = new CharRanges();
      for (const [start, end] of added) ranges.add(start, end);
      for (let at = 0; at < 41; at++) {
        const has = added.some(([start, end]) => start <= at && at < end);
        expect(ranges.at(at) !== undefined).toBe(has);
      }
    });
    fc.assert(property, campaign(2_000));
  });
});
