/**
 * One worker process, as the REPL hears it.
 *
 * Whether it can take input is what it says itself, never a guess from what it
 * prints. A worker that breaks the rules is over: what it would say next could
 * mean anything.
 */
import {
  JSON_LIMITS,
  JsonError,
  type JsonLimits,
  LineSplitter,
  readJson,
} from "../../../rpc/index.ts";
import { FrameBytes } from "./frame-bytes.ts";
import type { Link } from "./link.ts";
import { type FrameHead, readFrameHead } from "./read-frame-head.ts";
import { readPlainText } from "./read-plain-text.ts";
import { type ServerMessage, WorkerMessage } from "./worker-message.ts";

/** Who is told what a worker says, in its order. */
export interface LinkListener {
  /** It speaks the protocol. */
  greets(): void;
  /** The bytes are good until it returns. */
  text(bytes: Uint8Array, stream: "stdout" | "stderr"): void;
  image(image: LinkImage): void;
  /** Input that the interpreter took, for transcripts. */
  line(prompt: string, text: string): void;
  /** It takes input: `undefined` is its own prompt, a text that of a program that asks. A shell says how a cell ended. */
  waits(prompt: string | undefined, exitStatus?: number): void;
  /** It has said its last word; its process ends by itself. */
  ends(message: string | undefined): void;
  /** It broke the rules. Nothing of it is heard any more. */
  broke(why: string): void;
}

export interface LinkImage {
  readonly mimeType: string;
  readonly data: Buffer;
  readonly isUpdate: boolean;
  readonly source: string | undefined;
}

const NEWLINE = 0x0a;
/** A text of 8 KiB is the rule and an image the exception. */
const MAX_LINE_BYTES = 32 << 20;
const LIMITS: JsonLimits = { ...JSON_LIMITS, maxLength: MAX_LINE_BYTES, maxValues: 64 };

/** What replies repeat of a prompt, and of a last word. */
const MOST_CHARS = { prompt: 1 << 14, farewell: 1000 } as const;

type LinkState = "new" | "starting" | "waiting" | "busy" | "over";

export class WorkerLink implements Link {
  readonly hearsErrors = false;
  readonly #listener: LinkListener;
  readonly #hasFrames: boolean;
  readonly #splitter = new LineSplitter(MAX_LINE_BYTES);
  #state: LinkState = "new";
  readonly #frame = new FrameBytes();
  /** What is still to come of a text that is sent as bytes. */
  #due: FrameHead = { stream: "stdout", length: 0 };

  /** `hasFrames`: it may send text as bytes. */
  constructor(listener: LinkListener, hasFrames = false) {
    this.#listener = listener;
    this.#hasFrames = hasFrames;
  }

  /** Whether it said that it takes input, and was given none since. */
  get isWaiting(): boolean {
    return this.#state === "waiting";
  }

  /** The line that hands it input. It is busy from then on, until it says otherwise. */
  input(text: string): string {
    if (!this.isWaiting) {
      throw new Error(
        `Cannot hand input to a worker that is ${this.#state}, expected one that waits`,
      );
    }
    this.#state = "busy";
    return lineOf({ type: "input_batch", input: text });
  }

  /** Takes what its process wrote to the descriptor of the protocol. */
  hear(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#state !== "over"; ) {
      const rest = chunk.subarray(at);
      at += this.#due.length > 0 ? this.#hearBytes(rest) : this.#hearLine(rest);
    }
  }

  /** It says itself when it has stopped. */
  interrupted(): void {}

  close(): void {
    this.#state = "over";
  }

  /** Of what is due, as much as is there; tells how much that was. */
  #hearBytes(chunk: Uint8Array): number {
    const { stream, length } = this.#due;
    const bytes = chunk.subarray(0, length);
    this.#due = { stream, length: length - bytes.length };
    this.#listener.text(this.#frame.restore(bytes), stream);
    return bytes.length;
  }

  /** One line, or what is there of it; tells how much that was. */
  #hearLine(chunk: Uint8Array): number {
    const end = chunk.indexOf(NEWLINE) + 1;
    const piece = end === 0 ? chunk : chunk.subarray(0, end);
    for (const line of this.#splitter.push(piece)) {
      if (line === "tooLong") this.#break("a line is over the limit");
      else if (line.kind === "malformed") this.#break(line.reason);
      else this.#read(line.text);
    }
    return piece.length;
  }

  #read(text: string): void {
    if (this.#state === "new" || !this.#readText(text)) this.#readMessage(text);
  }

  /** Text, as most of what is heard is; false where it is something else. */
  #readText(line: string): boolean {
    const head = this.#hasFrames ? readFrameHead(line) : undefined;
    if (head !== undefined) this.#due = head;
    const plain = head === undefined ? readPlainText(line) : undefined;
    if (plain !== undefined) this.#listener.text(plain.bytes, plain.stream);
    return head !== undefined || plain !== undefined;
  }

  #readMessage(text: string): void {
    try {
      const message = WorkerMessage.safeParse(readJson(text, LIMITS));
      if (message.success) this.#heard(message.data);
      else this.#break(`it sent ${text.slice(0, 200)}`);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      this.#break(error.message);
    }
  }

  #heard(message: WorkerMessage): void {
    if ((this.#state === "new") !== (message.type === "worker_ready")) {
      this.#break(`it sent "${message.type}" ${this.#state === "new" ? "first" : "again"}`);
      return;
    }
    switch (message.type) {
      case "worker_ready":
        this.#state = "starting";
        this.#listener.greets();
        return;
      case "ready":
      case "input_wait":
        this.#state = "waiting";
        this.#listener.waits(
          message.type === "ready" ? undefined : message.prompt.slice(0, MOST_CHARS.prompt),
        );
        return;
      case "input_line":
        this.#listener.line(message.prompt, message.text);
        return;
      case "output_text":
        this.#listener.text(Buffer.from(message.data_b64, "base64"), message.stream);
        return;
      case "output_image":
        this.#listener.image(imageOf(message));
        return;
      case "session_end":
        this.#state = "over";
        this.#listener.ends(message.message?.slice(0, MOST_CHARS.farewell));
    }
  }

  #break(why: string): void {
    this.#state = "over";
    this.#listener.broke(why);
  }
}

/** A line for a worker. */
export function lineOf(message: ServerMessage): string {
  return `${JSON.stringify(message)}\n`;
}

function imageOf(message: Extract<WorkerMessage, { type: "output_image" }>): LinkImage {
  return {
    mimeType: message.mime_type,
    data: Buffer.from(message.data_b64, "base64"),
    isUpdate: message.is_update,
    source: message.source ?? undefined,
  };
}
