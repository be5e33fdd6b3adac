/**
 * Finds who asked with a text that is JSON and too much of it.
 *
 * Only the beginning of the text is looked at: the two members in either order,
 * as every client writes them. What hides its id behind its params stays unanswered.
 */
import { type IdKind, isRequestId, type RequestId } from "./request-id.ts";

const ID = /"id"\s*:\s*(-?\d{1,16}|"[^"\\\ufffd]{0,100}")/.source;
/** Where the id came first it does not matter what the method is, if it is a text. */
const METHOD_START = /"method"\s*:\s*"/.source;
const METHOD = `${METHOD_START}(?:[^"\\\\]|\\\\.){0,400}"`;
const VERSION = /(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?/.source;
const ID_FIRST = new RegExp(`^\\s*\\{\\s*${VERSION}${ID}\\s*,\\s*${METHOD_START}`);
const METHOD_FIRST = new RegExp(`^\\s*\\{\\s*${VERSION}${METHOD}\\s*,\\s*${ID}\\s*[,}]`);
const START_LENGTH = 500;

/** The id of the request that `text` would be, if it shows and is of a kind that is taken. */
export function unreadRequestId(text: string, ids: readonly IdKind[]): RequestId | undefined {
  const start = text.slice(0, START_LENGTH);
  const [, found] = ID_FIRST.exec(start) ?? METHOD_FIRST.exec(start) ?? [];
  if (found === undefined) return undefined;
  const id = found.startsWith('"') ? found.slice(1, -1) : Number(found);
  return isRequestId(id, ids) ? id : undefined;
}
