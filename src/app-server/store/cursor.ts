/**
 * Where a page ends, for whoever asks for the next one.
 *
 * A cursor names what it goes through and a place in it, so that one of another
 * thread or another order is refused and not taken for a place in this.
 */
import { ThreadStoreError } from "./thread-store-error.ts";

/** A place in an order; rows that come later do not move it. */
export interface Place {
  /** Behind the row, or at it. */
  readonly side: "after" | "from";
  readonly key: readonly [number, number];
}

const CURSOR = /^(?<scope>[\w/*]+) (?<side>after|from) (?<first>\d{1,16}) (?<second>\d{1,16})$/;

/** For clients to hand back as it is. */
export function writeCursor(scope: string, { side, key }: Place): string {
  return Buffer.from(`${scope} ${side} ${key[0]} ${key[1]}`).toString("base64url");
}

/** Throws "badCursor" for one that {@link writeCursor} did not write for the same scope. */
export function readCursor(scope: string, cursor: string): Place {
  const found = CURSOR.exec(Buffer.from(cursor, "base64url").toString("latin1"))?.groups;
  const key = [Number(found?.first), Number(found?.second)] as const;
  const place: Place = { side: found?.side === "from" ? "from" : "after", key };
  // There is one spelling of each: what does not come out the same was not given here.
  if (found && writeCursor(scope, place) === cursor) return place;
  const shown = JSON.stringify(cursor.slice(0, 80));
  throw new ThreadStoreError(
    "badCursor",
    `Cannot go on at ${shown}: it is no cursor of this list, expected one of its pages`,
  );
}
