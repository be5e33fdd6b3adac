/**
 * How many pieces one answer to `process/read` has at most, each of four values: a message has room for
 * no more of them. Whoever reads goes on at `nextSeq`.
 */
export const MOST_READ_CHUNKS = 60_000;
