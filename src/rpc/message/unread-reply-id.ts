/**
 * Finds whom an unreadable answer was for.
 *
 * Only the two ends of the text are looked at, and only the numbers this program
 * issues are taken. A request whose `method` follows its `id`, or comes first, is
 * not taken for an answer.
 */
const ANSWER_BY_ID =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*([1-9]\d{0,15})\s*(?:,\s*"(?:result|error)"\s*:|\})/;
const ANSWER = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/;
const LAST_ID = /,\s*"id"\s*:\s*([1-9]\d{0,15})\s*\}\s*$/;
const END_LENGTH = 200;

/** The id of the call that the malformed `text` answers, if it shows. */
export function unreadReplyId(text: string): number | undefined {
  const start = text.slice(0, END_LENGTH);
  const found =
    ANSWER_BY_ID.exec(start) ?? (ANSWER.test(start) ? LAST_ID.exec(text.slice(-END_LENGTH)) : null);
  return found ? Number(found[1]) : undefined;
}
