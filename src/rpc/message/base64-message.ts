/**
 * A message whose last member is the base64 of bytes.
 *
 * Output of commands is most of what a server ever sends. It goes to the
 * transport as bytes: each text made of it on the way would be one more copy.
 */
import type { Transport } from "../transports/transport.ts";

/** How a message ends whose last member waits for its text. */
const OPEN_END = '""}}';
const END = '"}}';
/** Written so much at a time: a short text is still near the processor when it is copied. A multiple of three. */
const PIECE = 6144;

export class Base64Message {
  /** Of all of it, in characters. */
  readonly length: number;
  readonly #before: string;
  readonly #bytes: Buffer;

  /** `text` is the message with nothing between the last two quotes. */
  constructor(text: string, { buffer, byteOffset, byteLength }: Uint8Array) {
    if (!text.endsWith(OPEN_END)) {
      throw new Error('Cannot write the bytes: the last member has a value, expected ""');
    }
    this.length = text.length + base64Length(byteLength);
    this.#before = text.slice(0, -END.length);
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Nothing to wait for where it was accepted at once. */
  sendOn(transport: Transport): Promise<void> | undefined {
    if (transport.sendBytes === undefined) {
      return transport.send(this.#before + this.#bytes.toString("base64") + END);
    }
    const length = Buffer.byteLength(this.#before) + base64Length(this.#bytes.length) + END.length;
    return transport.sendBytes(length, (message) => this.#write(message));
  }

  #write(message: Buffer): void {
    let at = message.write(this.#before);
    for (let from = 0; from < this.#bytes.length; from += PIECE) {
      at += message.write(this.#bytes.toString("base64", from, from + PIECE), at, "latin1");
    }
    message.write(END, at, "latin1");
  }
}

/** How many characters so many bytes become. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
