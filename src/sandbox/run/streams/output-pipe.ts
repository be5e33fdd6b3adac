/**
 * Our end of a pipe that a command prints to, read into one buffer for as long as nobody keeps that.
 *
 * Node makes a buffer for each read, with room for the most that it may bring, and gives it away. A server
 * copies what it reads to where that is kept anyway, so much of its time with a command that prints much
 * would go into making buffers and dropping them.
 */
import net from "node:net";
import type { Readable } from "node:stream";

/** Takes bytes that are lent; true where it keeps them, and nothing else is to be read into them. */
export type TakeLent = (bytes: Buffer) => boolean;

/** As much as a pipe holds. */
const ROOM_BYTES = 64 << 10;

export class OutputPipe extends net.Socket {
  /** Until somebody takes them, bytes are for readers of the stream. */
  #take: TakeLent | undefined;

  constructor(fd: number) {
    let room = Buffer.allocUnsafeSlow(ROOM_BYTES);
    let read = (_: Buffer) => true;
    const keep = () => {
      room = Buffer.allocUnsafeSlow(ROOM_BYTES);
    };
    const callback = (count: number) => read(room.subarray(0, count));
    super({ fd, readable: true, writable: false, onread: { buffer: () => room, callback } });
    read = (bytes) => this.#read(bytes, keep);
  }

  /** From now on bytes go there; those that nobody has read go first. */
  lend(take: TakeLent): void {
    for (let kept = this.read(); kept !== null; kept = this.read()) take(kept);
    this.#take = take;
    this.resume();
  }

  /** False where the rest is to wait. */
  #read(bytes: Buffer, keep: () => void): boolean {
    if (this.#take !== undefined) {
      if (this.#take(bytes)) keep();
      return true;
    }
    const owned = ownedOf(bytes);
    if (owned === bytes) keep();
    return this.push(owned);
  }
}

/** Hands over what a command prints as it is read. */
export function lendOutput(stream: Readable, take: TakeLent): void {
  if (stream instanceof OutputPipe) stream.lend(take);
  else stream.on("data", take);
}

/** What to keep of lent bytes: them, or a copy where that is shorter than the room they would take with them. */
export function ownedOf<Bytes extends Uint8Array>(bytes: Bytes): Bytes | Buffer {
  return bytes.length * 2 > bytes.buffer.byteLength ? bytes : Buffer.from(bytes);
}
