/**
 * What a process writes to its own descriptors 1 and 2, and what it says itself, as one order.
 *
 * Two threads forward output: the one that hosts the language, whose text is
 * known to be written now, and the one that waits for raw output of children.
 * Whoever holds the gate first forwards everything that was written before.
 * Text is kept until something else is to be sent or the second thread, which
 * is woken for it, gets there: a language that prints word by word sends lines.
 */
import { writeSync } from "node:fs";
import { createSender, drain } from "./channel.mjs";
import { libc } from "./native.mjs";

const OPEN = 0;
const HELD = 1;
const POLLIN = 1;
const MOST_POLLED = 4;
const SPOOL_BYTES = 65_536;
const STREAMS = ["stdout", "stderr"];

/** What the threads share. `raw` are the read ends of the pipes behind stdout and stderr. */
export function gateParts(raw, output, wake) {
  return {
    raw,
    output,
    wake,
    lock: new Int32Array(new SharedArrayBuffer(4)),
    // How much text is kept, and of which stream.
    kept: new Int32Array(new SharedArrayBuffer(8)),
    spool: new Uint8Array(new SharedArrayBuffer(SPOOL_BYTES)),
  };
}

export class OutputGate {
  #parts;
  #sender;
  #poll = pollOf();

  constructor(parts) {
    this.#parts = parts;
    this.#sender = createSender(parts.output);
  }

  /** Forwards all output there is, then these messages. */
  send(...messages) {
    this.#hold(() => {
      this.#forward();
      this.#sender.send(...messages);
    });
  }

  greet(name, images) {
    this.#hold(() => this.#sender.greet(name, images));
  }

  text(stream, bytes) {
    this.#hold(() => this.#keep(STREAMS.indexOf(stream), bytes));
  }

  /** Forwards all output there is. */
  flush() {
    this.#hold(() => this.#forward());
  }

  /** Says the last word: nothing passes the gate any more. */
  close(message) {
    this.#take();
    this.#forward();
    this.#sender.send(message);
  }

  #hold(act) {
    this.#take();
    try {
      act();
    } finally {
      Atomics.store(this.#parts.lock, 0, OPEN);
      Atomics.notify(this.#parts.lock, 0);
    }
  }

  #take() {
    const { lock } = this.#parts;
    while (Atomics.compareExchange(lock, 0, OPEN, HELD) !== OPEN) Atomics.wait(lock, 0, HELD);
  }

  #keep(stream, bytes) {
    const { kept, spool, raw, wake } = this.#parts;
    const isFull = kept[0] + bytes.length > SPOOL_BYTES;
    if (isFull || kept[1] !== stream || this.#poll(raw, 0).includes(true)) this.#forward();
    if (bytes.length > SPOOL_BYTES) {
      this.#sender.text(STREAMS[stream], bytes);
      return;
    }
    if (kept[0] === 0) writeSync(wake, "!");
    spool.set(bytes, kept[0]);
    kept[0] += bytes.length;
    kept[1] = stream;
  }

  #forward() {
    const { kept, spool, raw } = this.#parts;
    this.#sender.text(STREAMS[kept[1]], spool.subarray(0, kept[0]));
    kept[0] = 0;
    this.#poll(raw, 0).forEach((isReadable, stream) => {
      if (isReadable) drain(raw[stream], (bytes) => this.#sender.text(STREAMS[stream], bytes));
    });
  }
}

/** A `poll` that tells of each descriptor whether it can be read, or has ended. */
export function pollOf() {
  const poll = libc.func("int poll(void *fds, ulong count, int timeout)");
  const entries = new Int32Array(2 * MOST_POLLED);
  return (fds, timeout) => {
    fds.forEach((fd, index) => {
      entries[index * 2] = fd;
      entries[index * 2 + 1] = POLLIN;
    });
    poll(entries, fds.length, timeout);
    return fds.map((_, index) => (entries[index * 2 + 1] ?? 0) >> 16 !== 0);
  };
}
