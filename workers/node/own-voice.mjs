/**
 * What the main thread writes of the protocol itself, until the other thread is there to do it.
 *
 * The first cell runs meanwhile and may change whatever it reaches, so nothing is called here that was
 * not taken hold of before it: no method of a prototype, no iterator, no reader or writer of JSON.
 */
import { Buffer } from "node:buffer";
import { readSync, writeSync } from "node:fs";
import process from "node:process";
import { SLOT } from "./slots.mjs";

const { kill } = process;
const { apply } = Reflect;
const { load, notify, store, wait } = Atomics;
const { allocUnsafe, from } = Buffer;
const { base64Slice } = Buffer.prototype;
const READY = '{"type":"ready"}\n';
/** Base64 makes 8 KiB of it, the most that one message carries. */
const CHUNK = 6144;
const pause = new Int32Array(new SharedArrayBuffer(4));
const buffer = allocUnsafe(65_536);

export class OwnVoice {
  #fd;
  #state;
  #raw = [];

  constructor(fd, state) {
    this.#fd = fd;
    this.#state = state;
  }

  /** Forwards from now on what comes out of these pipes, as far as it is there when something is said. */
  forward(raw) {
    this.#raw = raw;
  }

  /** Says that a cell is over; false where the other thread has taken over. */
  ready() {
    return this.#speak(READY, true);
  }

  text(stream, chunk) {
    const bytes = from(chunk);
    return this.#speak(linesOf(stream, bytes, bytes.length), false);
  }

  /** Forwards what there is. */
  flush() {
    return this.#speak("", false);
  }

  /** The other thread takes over between two of these, never within one. */
  #speak(lines, isReady) {
    store(this.#state, SLOT.isWriting, 1);
    try {
      if (load(this.#state, SLOT.isTaken) === 1) return false;
      for (let at = 0; at < this.#raw.length; at += 1) this.#drain(this.#raw[at]);
      writeAll(this.#fd, lines);
      if (isReady) store(this.#state, SLOT.isReady, 1);
      return true;
    } finally {
      store(this.#state, SLOT.isWriting, 0);
      notify(this.#state, SLOT.isWriting);
    }
  }

  #drain({ fd, stream }) {
    for (let count = readNow(fd); count > 0; count = readNow(fd)) {
      writeAll(this.#fd, linesOf(stream, buffer, count));
    }
  }
}

function linesOf(stream, bytes, length) {
  let lines = "";
  for (let at = 0; at < length; at += CHUNK) {
    const end = at + CHUNK < length ? at + CHUNK : length;
    const data = apply(base64Slice, bytes, [at, end]);
    lines += `{"type":"output_text","stream":"${stream}","data_b64":"${data}"}\n`;
  }
  return lines;
}

function writeAll(fd, lines) {
  const bytes = from(lines, "latin1");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // Its reader has left: the server is gone, and nobody is left to work for.
      if (error.code !== "EAGAIN") kill(process.pid, "SIGKILL");
      wait(pause, 0, 0, 1);
    }
  }
}

function readNow(fd) {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if (error.code === "EAGAIN") return 0;
    throw error;
  }
}
