/** The user's `process.stdout`, `process.stderr`, `process.stdin` and `console`. */
import { Buffer } from "node:buffer";
import { Console } from "node:console";
import process from "node:process";
import { Readable, Writable } from "node:stream";

/** A cell may put a mock in its place. */
const later = globalThis.setImmediate;

class Output extends Writable {
  #post;
  #stream;

  constructor(post, stream) {
    // It is never closed: who waits for its end must not wait for that.
    super({ emitClose: false });
    this.#post = post;
    this.#stream = stream;
    this.fd = stream === "stdout" ? 1 : 2;
  }

  /** Keeps no state: an interrupt may end it at any step. */
  write(chunk, encoding, done) {
    const callback = typeof encoding === "function" ? encoding : done;
    const isText =
      typeof chunk === "string" && (typeof encoding !== "string" || encoding === "utf8");
    // A text crosses threads much faster than its bytes.
    this.#post.text(this.#stream, isText ? chunk : Uint8Array.from(Buffer.from(chunk, encoding)));
    if (callback) process.nextTick(callback);
    return true;
  }

  /** As the real one: nobody ends it, but whoever waits for its end hears of it. */
  end(...args) {
    const [chunk, encoding] = args.filter((one) => typeof one !== "function");
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    const done = args.find((one) => typeof one === "function");
    process.nextTick(() => {
      this.emit("finish");
      done?.();
    });
    return this;
  }

  destroy() {
    return this;
  }
}

class Input extends Readable {
  #post;
  #isRead = false;
  #isAsked = false;

  constructor(post) {
    super();
    this.#post = post;
    this.fd = 0;
    this.isTTY = false;
    // Whoever begins to read may find that an earlier reader has left its question.
    this.on("resume", () => this.#askLater());
  }

  _read() {
    this.#isRead = true;
    this.#askLater();
  }

  /** Later: the answer just given may be all the cell wanted. */
  #askLater() {
    later(() => {
      if (!this.isWanted || !this.#isRead || this.#isAsked) return;
      this.#isAsked = true;
      this.#post.ask("");
    });
  }

  /** Whether a cell runs: only that may ask. */
  isWanted = false;

  answer(line) {
    this.#isRead = false;
    this.#isAsked = false;
    this.push(line);
  }

  /** A cell begins or ends; what was asked before is asked anew. */
  setWanted(isWanted) {
    this.isWanted = isWanted;
    this.#isAsked = false;
    if (isWanted && this.readableFlowing) this.#askLater();
  }
}

/** Puts the session's streams into the process. */
export function createStreams(post) {
  const stdout = new Output(post, "stdout");
  const stderr = new Output(post, "stderr");
  const stdin = new Input(post);
  for (const [name, value] of Object.entries({ stdout, stderr, stdin })) {
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  }
  globalThis.console = new Console({ stdout, stderr, colorMode: false });
  return {
    answer: (line) => stdin.answer(line),
    setRunning: (isRunning) => stdin.setWanted(isRunning),
  };
}
