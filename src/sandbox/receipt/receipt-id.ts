/**
 * Names of receipts that sort by the time of their making.
 *
 * 26 characters of Crockford's base 32, in the layout of a ULID: 48 bits of
 * milliseconds, 80 bits of chance. Within one process the order is strict, also
 * within a millisecond and when the clock is set back.
 */
import { randomBytes } from "node:crypto";

/** What every id looks like; 48 bits leave the first character below 8. */
export const RECEIPT_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 26;
const CHANCE_BITS = 80n;
let last = 0n;

/** Makes the id of a run that begins now. */
export function createReceiptId(now = Date.now()): string {
  const fresh = (BigInt(Math.floor(now)) << CHANCE_BITS) | chance();
  last = fresh >> CHANCE_BITS > last >> CHANCE_BITS ? fresh : last + 1n;
  return base32(last);
}

/** Without its first bit, so that counting on from it does not reach into the time. */
function chance(): bigint {
  return BigInt(`0x${randomBytes(10).toString("hex")}`) >> 1n;
}

function base32(value: bigint): string {
  return Array.from({ length: LENGTH }, (_, index) => {
    const shift = BigInt(5 * (LENGTH - 1 - index));
    return DIGITS[Number((value >> shift) & 31n)];
  }).join("");
}
