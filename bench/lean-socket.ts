/**
 * A WebSocket of a client that counts output as it comes in and keeps none of it.
 *
 * A library puts each message together before it gives it away; on two cores
 * that takes from the server what is to be measured.
 */
import { randomBytes } from "node:crypto";
import net from "node:net";

/** Longer messages with a chunk are output. */
const LONG = 1024;
const MARK = '"chunk":"';
const [QUOTE, PADDING] = [0x22, 0x3d];
const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];

/** One for all of them: nothing of it is needed once it was counted. */
const READ = Buffer.alloc(256 << 10);

export interface LeanEvents {
  /** A message that is not counted. */
  message(text: string): void;
  /** So many bytes of output, as far as they have come. */
  output(bytes: number): void;
}

interface Frame {
  readonly opcode: number;
  /** How much of it has not come yet. */
  left: number;
  readonly isLong: boolean;
  /** What has come of it; of a long one, until its chunk begins. */
  text: Buffer;
  state: "before" | "in" | "behind";
  /** The last of the chunk. */
  end: number[];
}

export class LeanSocket {
  readonly #socket: net.Socket;
  readonly #events: LeanEvents;
  #head: Buffer = Buffer.alloc(0);
  #frame: Frame | undefined;
  readonly #isOpen = Promise.withResolvers<void>();
  #isUpgraded = false;

  private constructor(socket: net.Socket, events: LeanEvents) {
    this.#socket = socket;
    this.#events = events;
  }

  static async connect(url: string, events: LeanEvents): Promise<LeanSocket> {
    const { hostname, port, pathname } = new URL(url);
    let take = (_: Buffer) => {};
    const callback = (count: number) => {
      take(READ.subarray(0, count));
      return true;
    };
    const onread = { buffer: READ, callback };
    const socket = net.connect({ host: hostname, port: Number(port), noDelay: true, onread });
    const self = new LeanSocket(socket, events);
    take = (bytes) => self.#take(bytes);
    const key = randomBytes(16).toString("base64");
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await self.#isOpen.promise;
    return self;
  }

  send(text: string): void {
    this.#send(TEXT, Buffer.from(text));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** With a mask of nothing but zeros, which leaves everything as it is. */
  #send(opcode: number, payload: Buffer): void {
    const length = Buffer.alloc(payload.length < 126 ? 2 : 4);
    length[0] = 0x80 | opcode;
    length[1] = 0x80 | Math.min(126, payload.length);
    if (length.length === 4) length.writeUInt16BE(payload.length, 2);
    this.#socket.write(Buffer.concat([length, Buffer.alloc(4), payload]));
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#frame !== undefined) rest = this.#fill(this.#frame, rest);
      else rest = this.#begin(rest);
    }
  }

  /** Nothing is left where the head of the next frame has not come as a whole. */
  #begin(bytes: Buffer): Buffer {
    const all = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    if (!this.#isUpgraded) return this.#upgrade(all);
    const frame = frameOf(all);
    this.#head = frame === undefined ? Buffer.from(all) : Buffer.alloc(0);
    if (frame === undefined) return Buffer.alloc(0);
    this.#frame = frame.frame;
    const rest = all.subarray(frame.size);
    return frame.frame.left === 0 ? this.#fill(frame.frame, rest) : rest;
  }

  #upgrade(all: Buffer): Buffer {
    const end = all.indexOf("\r\n\r\n");
    this.#head = end === -1 ? Buffer.from(all) : Buffer.alloc(0);
    if (end === -1) return Buffer.alloc(0);
    const [status] = String(all.subarray(0, end)).split("\r\n");
    this.#isUpgraded = true;
    if (status?.includes(" 101 ")) this.#isOpen.resolve();
    else this.#isOpen.reject(new Error(`Cannot compare: ${status}`));
    return all.subarray(end + 4);
  }

  #fill(frame: Frame, bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, frame.left);
    frame.left -= piece.length;
    if (frame.isLong) this.#count(frame, piece);
    else frame.text = Buffer.concat([frame.text, piece]);
    if (frame.left === 0) this.#end(frame);
    return bytes.subarray(piece.length);
  }

  #end({ opcode, isLong, state, text }: Frame): void {
    this.#frame = undefined;
    if (opcode === PING) this.#send(PONG, text);
    else if (opcode === CLOSE) this.close();
    else if (!isLong || state === "before") this.#events.message(String(text));
  }

  #count(frame: Frame, piece: Buffer): void {
    if (frame.state === "behind") return;
    if (frame.state === "in") {
      this.#chunk(frame, piece);
      return;
    }
    // Mostly it is in what has come: to keep a copy of all that would be to put the message together.
    const text = frame.text.length === 0 ? piece : Buffer.concat([frame.text, piece]);
    const mark = text.indexOf(MARK);
    if (mark === -1) {
      frame.text = Buffer.from(text);
      return;
    }
    frame.state = "in";
    this.#chunk(frame, text.subarray(mark + MARK.length));
  }

  #chunk(frame: Frame, piece: Buffer): void {
    const quote = piece.indexOf(QUOTE);
    const part = quote === -1 ? piece : piece.subarray(0, quote);
    frame.end = [...frame.end, ...part.subarray(-2)].slice(-2);
    this.#events.output((part.length * 3) / 4);
    if (quote === -1) return;
    frame.state = "behind";
    this.#events.output(-frame.end.filter((one) => one === PADDING).length);
  }
}

/** The head of a frame from a server, which has no mask; nothing where more of it has to come. */
function frameOf(bytes: Buffer): { frame: Frame; size: number } | undefined {
  const short = (bytes[1] ?? 0) & 0x7f;
  const size = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < size) return undefined;
  const left =
    size === 2 ? short : size === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const opcode = (bytes[0] ?? 0) & 0x0f;
  const isLong = left > LONG && opcode < CLOSE;
  return {
    frame: { opcode, left, isLong, text: Buffer.alloc(0), state: "before", end: [] },
    size,
  };
}
