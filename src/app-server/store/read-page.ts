import type { SQLInputValue } from "node:sqlite";
import { readCursor, writeCursor } from "./cursor.ts";
import type { ThreadFile } from "./thread-file.ts";
import type { Page, PageQuery } from "./thread-store.ts";
import { ThreadStoreError } from "./thread-store-error.ts";

/** Rows in an order: by two columns that no two rows have in common. */
export interface PageSource<R> {
  /** What cursors are good for: this list, in this order. */
  readonly scope: string;
  /** Up to its conditions, which another can be put behind. */
  readonly select: string;
  readonly values: readonly SQLInputValue[];
  readonly columns: readonly [string, string];
  readonly key: (row: R) => readonly [number, number];
  /** In characters, where rows may be long. */
  readonly lengthOf?: (row: R) => number;
}

/** Of a page with more than one row: what is made of it is one message. */
const MOST_CHARS = 16 << 20;

/** One page, and where it goes on. Costs what the page costs, wherever it lies. */
export function readPage<R>(file: ThreadFile, source: PageSource<R>, query: PageQuery): Page<R> {
  const { scope, select, values, columns, key, lengthOf } = source;
  checkLimit(query.limit);
  const place = query.cursor === null ? undefined : readCursor(scope, query.cursor);
  const [order, behind] = query.direction === "ascending" ? ["ASC", ">"] : ["DESC", "<"];
  const sign = place?.side === "from" ? `${behind}=` : behind;
  const beyond = place ? `AND (${columns.join(", ")}) ${sign} (?, ?)` : "";
  const sql = `${select} ${beyond} ORDER BY ${columns.map((name) => `${name} ${order}`).join(", ")} LIMIT ?`;
  const found = file.read(() =>
    file.rows<R>(sql, ...values, ...(place?.key ?? []), query.limit + 1),
  );
  const data = withinRoom(found.slice(0, query.limit), lengthOf);
  const [first, last] = [data[0], data.at(-1)];
  const isMore = found.length > data.length && last !== undefined;
  return {
    data,
    next: isMore ? writeCursor(scope, { side: "after", key: key(last) }) : null,
    back: first === undefined ? null : writeCursor(scope, { side: "from", key: key(first) }),
  };
}

/** The first of the rows, and those behind it that fit beside it. */
function withinRoom<R>(rows: R[], lengthOf: PageSource<R>["lengthOf"] = () => 0): R[] {
  let length = 0;
  const tooMany = rows.findIndex((row, at) => {
    length += lengthOf(row);
    return at > 0 && length > MOST_CHARS;
  });
  return tooMany < 0 ? rows : rows.slice(0, tooMany);
}

function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit > 0) return;
  throw new ThreadStoreError(
    "invalid",
    `Cannot read a page of ${limit}: expected a whole number from 1 on`,
  );
}
