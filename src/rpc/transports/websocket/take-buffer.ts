/**
 * Buffers for messages of the size that most output has, used again once they were written.
 *
 * A new one for each would be memory that the collector hears of and has to look for.
 */

/** Room for 64 KiB as base64, and for what stands around it. */
const SIZE = 88 << 10;
/** Below it, a buffer of its own costs less than one that is far too large. */
const LEAST = 8 << 10;
/** More than a connection has waiting before its sender waits, too. */
const MOST = 16;

const spare: Buffer[] = [];

/** A buffer of that length; `giveBack` it when nobody reads it any more. */
export function takeBuffer(length: number): Buffer {
  if (length < LEAST || length > SIZE) return Buffer.allocUnsafe(length);
  const whole = spare.pop() ?? Buffer.allocUnsafeSlow(SIZE);
  return whole.subarray(0, length);
}

/** Takes back what `takeBuffer` gave. */
export function giveBack({ buffer }: Buffer): void {
  if (buffer.byteLength === SIZE && spare.length < MOST) spare.push(Buffer.from(buffer));
}
