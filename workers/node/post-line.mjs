/**
 * The main thread's end of the line to the thread that speaks the protocol.
 *
 * Until that thread is there, this one speaks: it greets, hears the first cell, and writes what that
 * prints. The thread takes over between two writes, and interrupts nothing before it has.
 */
import { performance } from "node:perf_hooks";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { createSender } from "../channel.mjs";
import { hearFirst } from "./hear-first.mjs";
import { OwnVoice } from "./own-voice.mjs";
import { Reach } from "./reach.mjs";
import { createSlots, SLOT } from "./slots.mjs";

/** Writes that have left the process before they return, within one window; more is a flood. */
const PROMPT_WRITES = 100;
const WINDOW_MS = 50;
const FLOOD_MESSAGES = 1024;

export class Post {
  #state = createSlots();
  /** What the other thread may end of what this one does. */
  reach = new Reach(this.#state);
  #worker;
  #answers;
  #descriptors;
  /** What this thread writes with; nothing once the other does it. */
  #own;
  #sent = 0;
  #window = { start: 0, count: 0 };

  /** Starts the thread. */
  constructor(descriptors) {
    const { port1, port2 } = new MessageChannel();
    this.#worker = new Worker(new URL("./post.cjs", import.meta.url), {
      workerData: { descriptors, state: this.#state, answers: port2 },
      transferList: [port2],
      // Its own streams lead to the main thread, which may be busy.
      stdout: false,
      stderr: false,
      execArgv: [],
    });
    this.#answers = port1;
    port1.unref();
    this.#descriptors = descriptors;
    this.#own = new OwnVoice(descriptors.output, this.#state);
  }

  /** Says that cells are taken and waits for one, which is returned; the thread hears of those that follow. */
  begin(raw) {
    const { send, greet } = createSender(this.#descriptors.output);
    greet("node", true);
    send({ type: "ready" });
    const { first, rest } = hearFirst(this.#descriptors.input);
    this.#own.forward(raw);
    this.#worker.postMessage({ raw, rest });
    return first;
  }

  /** Sends a message of the protocol behind all text so far. */
  send(message) {
    this.#leave();
    this.#post({ message });
  }

  /** Says that a cell is over, behind all it said; said again, it goes unheard. */
  ready(cell) {
    if (this.#own?.ready()) return;
    this.#leave();
    this.#post({ over: cell });
  }

  /** Sends text; it has left the process when this returns, unless text comes in floods. */
  text(stream, chunk) {
    if (this.#own?.text(stream, chunk)) return;
    this.#leave();
    const number = this.#post({ stream, chunk });
    if (!this.#isFlood()) this.#wait(number);
    else if (number - Atomics.load(this.#state, SLOT.done) > FLOOD_MESSAGES) this.#wait(number);
  }

  flush() {
    if (this.#own?.flush()) return;
    this.#leave();
    this.#wait(this.#post({}));
  }

  /** Asks for a line of input, which arrives as any other message. */
  ask(prompt) {
    this.#leave();
    this.#post({ ask: { prompt, blocks: false } });
  }

  /** Asks for a line of input and waits for it; nothing else runs. */
  askNow(prompt) {
    const before = Atomics.load(this.#state, SLOT.answers);
    this.#leave();
    this.#post({ ask: { prompt, blocks: true } });
    Atomics.wait(this.#state, SLOT.answers, before);
    return receiveMessageOnPort(this.#answers)?.message;
  }

  listen({ cell, interrupt, line, shutdown }) {
    this.#worker.on("message", (message) => {
      if ("cell" in message) cell(message.cell, message.source);
      else if ("line" in message) line(message.line);
      else if ("interrupt" in message) interrupt(message.interrupt);
      else shutdown();
    });
  }

  /** All that follows is for the other thread to write. */
  #leave() {
    this.#own = undefined;
  }

  #post(message) {
    // Counted before it is sent: an interrupt in between leaves out a number and loses no wait.
    const number = ++this.#sent;
    this.#worker.postMessage({ number, ...message });
    return number;
  }

  #wait(number) {
    for (;;) {
      const done = Atomics.load(this.#state, SLOT.done);
      if (done >= number) return;
      Atomics.wait(this.#state, SLOT.done, done);
    }
  }

  #isFlood() {
    const now = performance.now();
    if (now - this.#window.start > WINDOW_MS) this.#window = { start: now, count: 0 };
    return ++this.#window.count > PROMPT_WRITES;
  }
}
