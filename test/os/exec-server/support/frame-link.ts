/** A WebSocket connection by hand: a test says how a message is cut into frames, and sees how answers are. */
import { once } from "node:events";
import http from "node:http";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface SeenFrame {
  readonly fin: boolean;
  readonly opcode: number;
  readonly bytes: Buffer;
}

const [CONTINUATION, TEXT] = [0, 1];

export class FrameLink {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer;

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#held = head;
    this.#chunks = socket[Symbol.asyncIterator]();
    socket.on("error", () => {});
  }

  /** Sends one message in as many frames as there are parts. */
  send(...parts: readonly string[]): void {
    for (const [index, part] of parts.entries()) {
      const bytes = Buffer.from(part);
      const fin = index === parts.length - 1 ? 0x80 : 0;
      const head = Buffer.alloc(14);
      head[0] = fin | (index === 0 ? TEXT : CONTINUATION);
      // A mask of zeros leaves the bytes as they are.
      head[1] = 0x80 | 127;
      head.writeBigUInt64BE(BigInt(bytes.length), 2);
      this.#socket.write(head);
      this.#socket.write(bytes);
    }
  }

  /** Reads until the other side has closed. */
  async closed(): Promise<void> {
    try {
      while (!(await this.#chunks.next()).done);
    } catch {
      // It was cut.
    }
  }

  /** The frames of the next message. */
  async message(): Promise<SeenFrame[]> {
    const frames: SeenFrame[] = [];
    for (;;) {
      const frame = await this.#frame();
      if (frame.opcode > TEXT) continue;
      frames.push(frame);
      if (frame.fin) return frames;
    }
  }

  async #frame(): Promise<SeenFrame> {
    const [first = 0, second = 0] = await this.#take(2);
    const bytes = await this.#take(await this.#length(second & 0x7f));
    return { fin: (first & 0x80) !== 0, opcode: first & 0x0f, bytes };
  }

  async #length(short: number): Promise<number> {
    if (short < 126) return short;
    if (short === 126) return (await this.#take(2)).readUInt16BE();
    return Number((await this.#take(8)).readBigUInt64BE());
  }

  async #take(count: number): Promise<Buffer> {
    const parts = [this.#held];
    for (let length = this.#held.length; length < count; ) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error("the connection ended inside a frame");
      parts.push(value);
      length += value.length;
    }
    const all = Buffer.concat(parts);
    this.#held = all.subarray(count);
    return all.subarray(0, count);
  }
}

/** Connects and asks for the upgrade; ended with the test. */
export async function connectFrames(url: string): Promise<FrameLink> {
  const request = http.get(url.replace("ws:", "http:"), {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
  });
  const [, socket, head] = (await once(request, "upgrade")) as [unknown, Socket, Buffer];
  onTestFinished(() => void socket.destroy());
  return new FrameLink(socket, head);
}
