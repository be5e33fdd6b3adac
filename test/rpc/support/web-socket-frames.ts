/** Connects without a WebSocket library and reads the headers of the frames a server sends. */
import { once } from "node:events";
import http from "node:http";
import type { Duplex } from "node:stream";

export interface Frame {
  readonly opcode: number;
  readonly fin: boolean;
  readonly length: number;
}

export async function readFrames(url: string) {
  const request = http.get(url.replace("ws:", "http:"), {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
  });
  const [, socket, head] = (await once(request, "upgrade")) as [unknown, Duplex, Buffer];
  const reader = new ByteReader(socket, head);
  return { next: () => nextFrame(reader), end: () => socket.destroy() };
}

async function nextFrame(reader: ByteReader): Promise<Frame> {
  const [first = 0, second = 0] = await reader.take(2);
  const short = second & 0x7f;
  const length = short < 126 ? short : await longLength(reader, short);
  await reader.take(length);
  return { opcode: first & 0x0f, fin: (first & 0x80) !== 0, length };
}

async function longLength(reader: ByteReader, short: number): Promise<number> {
  if (short === 126) return (await reader.take(2)).readUInt16BE();
  return Number((await reader.take(8)).readBigUInt64BE());
}

class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer[];
  #length: number;

  constructor(socket: Duplex, head: Buffer) {
    this.#chunks = socket[Symbol.asyncIterator]();
    this.#held = [head];
    this.#length = head.length;
  }

  async take(count: number): Promise<Buffer> {
    while (this.#length < count) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error("the connection ended inside a frame");
      this.#held.push(value);
      this.#length += value.length;
    }
    const all = Buffer.concat(this.#held);
    this.#held = [all.subarray(count)];
    this.#length = all.length - count;
    return all.subarray(0, count);
  }
}
