/**
 * Leads through output that is longer than a page.
 *
 * A state machine without effects: output opens it, lines of input move it, and
 * its end closes it. What was shown is not repeated unless it is asked for by its
 * range.
 */
import type { OutputItem } from "../output/output-item.ts";
import type { ReplyContent } from "../output/reply-content.ts";
import { findMatches, linesAround, type Match } from "./find-matches.ts";
import { clipped, matchHeading, matchList, matchPlaces } from "./match-list.ts";
import { MAX_REPLY, PageReader } from "./page-reader.ts";
import { pagedText } from "./paged-text.ts";
import { type PagerCommand, parsePagerCommand, type SearchPattern } from "./pager-command.ts";
import { PAGER_HELP } from "./pager-footer.ts";
import { seekTarget, tailStart } from "./seek-target.ts";

/** `end`: it is left, and a prompt may follow. `notMine`: the line is to be run. */
export type PagerReply =
  | { readonly kind: "page" | "end"; readonly content: readonly ReplyContent[] }
  | { readonly kind: "notMine" };

export const DEFAULT_PAGE_CHARS = 3500;
const MIN_PAGE_CHARS = 64;
const CARD_CONTEXT = 2;

type Search = Extract<PagerCommand, { kind: "search" | "again" | "goto" | "where" | "list" }>;

export class Pager {
  readonly #pageChars: number;
  #reader: PageReader | undefined;
  #pattern: SearchPattern | undefined;
  /** The match that was shown last. */
  #match: Match | undefined;

  constructor(pageChars: number = DEFAULT_PAGE_CHARS) {
    this.#pageChars = Math.max(MIN_PAGE_CHARS, Math.floor(pageChars));
  }

  get isActive(): boolean {
    return this.#reader !== undefined;
  }

  /**
   * The first page of `items`, or all of them if that is one page: then nothing more is left open.
   * What the server says is never hidden behind a page: it is what came of the call.
   */
  open(items: readonly OutputItem[]): PagerReply {
    const before = this.#reader;
    const paged = pagedText(items);
    const reader = new PageReader(paged, this.#pageChars);
    const page = reader.next(1);
    const hidden = paged.lines.filter(({ at }) => at >= reader.at);
    const beside = [...new Set(hidden.map(({ text }) => text))].map(textOf);
    if (!reader.isAtEnd) {
      this.close();
      this.#reader = reader;
      const left = before ? [before.footer(true)] : [];
      return { kind: "page", content: [...left, ...page, reader.footer(), ...beside] };
    }
    const content = [...page, ...beside];
    if (before) return { kind: "page", content: [...content, before.footer()] };
    return { kind: "end", content: content.length > 0 ? content : [textOf("")] };
  }

  /** What a line of input does to it. */
  command(line: string): PagerReply {
    const reader = this.#reader;
    const command = parsePagerCommand(line);
    if (!reader || command === undefined) return { kind: "notMine" };
    if (command === "malformed") {
      const name = clipped(line.trim());
      return say(reader, `[pager] unrecognized command: ${name}; :help lists them\n`);
    }
    return this.#obey(reader, command);
  }

  /** Leaves it: nothing of the output is held any more. */
  close(): void {
    this.#reader = undefined;
    this.#pattern = undefined;
    this.#match = undefined;
  }

  #obey(reader: PageReader, command: PagerCommand): PagerReply {
    switch (command.kind) {
      case "next":
        return this.#shown(reader, reader.next(command.pages));
      case "skip":
        reader.skip(command.pages);
        return this.#shown(reader, reader.next(1));
      case "all":
        return this.#shown(reader, reader.rest());
      case "tail":
        reader.moveTo(
          tailStart(reader.paged.text, command, { page: this.#pageChars, most: MAX_REPLY.chars }),
        );
        return this.#left(reader, reader.rest());
      case "range":
        return this.#shown(reader, reader.range(command.start, command.end));
      case "seek":
        reader.moveTo(seekTarget(reader.paged.text, command));
        return this.#shown(reader, reader.next(1));
      case "help":
        return say(reader, PAGER_HELP);
      case "quit":
        return this.#left(reader, []);
      default:
        return this.#search(reader, command);
    }
  }

  /** A page with its footer; the last one closes the pager. */
  #shown(reader: PageReader, content: readonly ReplyContent[]): PagerReply {
    if (reader.isAtEnd) return this.#left(reader, content);
    return { kind: "page", content: [...content, reader.footer()] };
  }

  #left(reader: PageReader, content: readonly ReplyContent[]): PagerReply {
    this.close();
    return { kind: "end", content: [...content, reader.footer(true)] };
  }

  #search(reader: PageReader, command: Search): PagerReply {
    const pattern = ("pattern" in command ? command.pattern : undefined) ?? this.#pattern;
    if (!pattern) return say(reader, "[pager] nothing was searched for yet; use :/text\n");
    if (pattern !== this.#pattern) this.#match = undefined;
    this.#pattern = pattern;
    const { text } = reader.paged;
    const matches = findMatches(text, pattern);
    if (command.kind === "where") return say(reader, matchPlaces(matches, pattern, reader.at));
    if (command.kind === "list")
      return say(reader, matchList(text, matches, { ...command, pattern }));
    const match = matches.find(isMeant(command, reader.at, this.#match));
    return match
      ? this.#card(reader, match, pattern)
      : say(reader, noMatch(text, pattern, reader.at));
  }

  /** A match with the lines around it; the way goes on behind them. */
  #card(reader: PageReader, match: Match, pattern: SearchPattern): PagerReply {
    this.#match = match;
    const most = Math.floor(this.#pageChars / 2);
    const around = { context: CARD_CONTEXT, most };
    const [start, end] = linesAround(reader.paged.text, match.at, around);
    const card = reader.range(start, end);
    const content = [textOf(matchHeading(match, pattern)), ...card, reader.footer()];
    return { kind: "page", content };
  }
}

/** Whether a match is the one a command means; asked for each of them in order. */
function isMeant(
  command: Extract<Search, { kind: "search" | "again" | "goto" }>,
  from: number,
  last: Match | undefined,
): (match: Match) => boolean {
  if (command.kind === "goto") return ({ number }) => number === command.hit;
  if (command.kind === "again" && last) {
    return ({ number }) => number === last.number + command.step;
  }
  let left = command.kind === "search" ? 1 : command.step;
  return ({ at }) => at >= from && --left === 0;
}

function noMatch(text: string, pattern: SearchPattern, at: number): string {
  return `[pager] no such match\n${matchPlaces(findMatches(text, pattern), pattern, at)}`;
}

function say(reader: PageReader, words: string): PagerReply {
  return { kind: "page", content: [textOf(words), reader.footer()] };
}

function textOf(text: string): ReplyContent {
  return { type: "text", text };
}
