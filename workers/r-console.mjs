/** What R reads from and writes to, and how it ends. */
import { readFileSync } from "node:fs";

/** What R prints to stderr when an interrupt brings it back to its prompt. */
const BLANK = "\n";
/** The one error that R tells no handler of: there is no room to call one. */
const OVERFLOW = Buffer.from("Error: C stack usage");
const INTERRUPTED = "[interrupted]\n";
/** How far the word of an interrupt and its signal may be apart. */
const WORD_MS = 10;
/** More than that does not fit into a message, with which the session would end. */
const MOST_IMAGE_BYTES = 20 << 20;

export class RConsole {
  #gate;
  #next;
  #count;
  #exit;
  #library;
  #showPlot = () => {};
  #lines = [];
  #image = "";
  #rest = Buffer.alloc(0);
  #seen = 0;
  #isSilent = false;
  #isInterrupted = false;
  #hasBegun = false;

  constructor(gate, next, count, exit) {
    this.#gate = gate;
    this.#next = next;
    this.#count = count;
    this.#exit = exit;
  }

  get callbacks() {
    return {
      read: this.#guard((prompt, to, size) => this.#read(prompt, to, size)),
      write: this.#guard((bytes, stream) => this.#write(bytes, stream)),
      message: this.#guard((text) => this.#write(Buffer.from(`${text}\n`), "stderr")),
      fatal: this.#guard((text) => this.#end("crash", `R cannot go on: ${text}`, 2)),
      quit: this.#guard((status, runsLast) => this.#quit(status, runsLast)),
    };
  }

  attach(library) {
    this.#library = library;
  }

  /** Runs the worker's own start-up code in R. */
  introduce(source) {
    const made = this.#library.introduce(
      source,
      this.#guard((...words) => this.#told(...words)),
    );
    if (made === undefined) throw new Error("Cannot start R: its start-up code failed");
    this.#showPlot = this.#library.caller(this.#library.element(made, 0));
  }

  /** An exception cannot pass through R: it is the end of the session. */
  #guard(act) {
    return (...words) => {
      try {
        return act(...words);
      } catch (error) {
        return this.#end("crash", `the worker failed: ${error.message}`, 1);
      }
    };
  }

  #write(bytes, stream) {
    if (this.#isSilent && stream === "stderr") return;
    if (stream === "stderr" && bytes.subarray(0, OVERFLOW.length).equals(OVERFLOW)) this.#drop();
    const isBlank = stream === "stderr" && bytes.toString("latin1") === BLANK;
    this.#gate.text(stream, isBlank && this.#isInterrupted ? Buffer.from(INTERRUPTED) : bytes);
  }

  #told(kind, file, source, age) {
    this.#isInterrupted = kind === "interrupt";
    if (kind === "image") this.#show(file, source, age);
    else this.#drop();
  }

  #show(file, source, age) {
    const bytes = readFileSync(file);
    if (bytes.length > MOST_IMAGE_BYTES) {
      const words = `[a picture of ${bytes.length} bytes is not shown: too large]\n`;
      this.#gate.text("stderr", Buffer.from(words));
      return;
    }
    const image = bytes.toString("base64");
    if (age === "update" && image === this.#image) return;
    this.#image = image;
    this.#gate.send({
      type: "output_image",
      mime_type: "image/png",
      data_b64: image,
      is_update: age === "update",
      source,
    });
  }

  #drop() {
    this.#lines = [];
    this.#rest = Buffer.alloc(0);
  }

  #read(prompt, to, size) {
    this.#isSilent = false;
    this.#isInterrupted = false;
    if (!this.#hasBegun && !this.#library.isStatic(to)) return this.#first(to, size);
    if (this.#rest.length > 0) return this.#hand(to, size);
    const isLate = this.#heed() && this.#isUnheard(to);
    const left = isLate ? this.#abort(prompt, to, size) : undefined;
    const aborted = left ?? (this.#lines.length === 0 ? this.#wait(prompt, to, size) : undefined);
    if (aborted !== undefined) return aborted;
    const line = this.#lines.shift();
    this.#gate.send({ type: "input_line", prompt, text: line });
    this.#rest = Buffer.from(`${line}\n`);
    return this.#hand(to, size);
  }

  /** The first line of the session is ours. */
  #first(to, size) {
    this.#hasBegun = true;
    this.#library.boundStack(to);
    this.#rest = Buffer.from('getOption("repl.begin")()\n');
    return this.#hand(to, size);
  }

  /** Messages that came while R was at work: only those that end the batch. Tells whether there were any. */
  #heed() {
    const before = this.#seen;
    while (Atomics.load(this.#count, 0) !== this.#seen) this.#take(this.#message());
    return this.#seen !== before;
  }

  /** Whether R has not acted on an interrupt that came on the way to a prompt: it ran nothing that could. */
  #isUnheard(to) {
    if (!this.#library.isStatic(to)) return true;
    for (let tries = 0; tries < WORD_MS && !this.#library.isPending(); tries += 1) {
      Atomics.wait(this.#count, 0, this.#seen, 1);
    }
    return this.#library.isPending();
  }

  #message() {
    this.#seen += 1;
    return this.#next();
  }

  #take(message) {
    if (message.type === "shutdown") this.#quit(0, true, "shutdown");
    else if (message.type === "interrupt") this.#drop();
    else this.#end("protocol_error", `Cannot take "${message.type}": R is at work`, 1);
  }

  /** Asks for a batch. Returns a number where R gets something else than a line of it. */
  #wait(prompt, to, size) {
    this.#showPlot();
    this.#gate.send({ type: "input_wait", prompt });
    for (;;) {
      const message = this.#message();
      if (message.type === "input_batch") {
        this.#begin(message.input);
        return undefined;
      }
      if (message.type === "interrupt") {
        const aborted = this.#abort(prompt, to, size);
        if (aborted !== undefined) return aborted;
      } else this.#take(message);
    }
  }

  #begin(input) {
    this.#forget();
    // A line would end at a NUL, and one that begins with it would be the end of the input.
    const text = String(input).replaceAll("\0", "").replaceAll(/\r\n?/g, "\n");
    this.#lines = text.replace(/\n$/, "").split("\n");
  }

  /** An interrupt that came before a batch is over; one whose word is behind the batch is meant for it. */
  #forget() {
    if (!this.#library.isPending()) return;
    this.#library.setPending(0);
    Atomics.wait(this.#count, 0, this.#seen, WORD_MS);
    if (Atomics.load(this.#count, 0) !== this.#seen) this.#library.setPending(1);
  }

  /** Leaves `readline()` or an unfinished expression; at other prompts nothing is to be left. */
  #abort(prompt, to, size) {
    if (this.#library.isStatic(to)) {
      this.#library.setPending(1);
      this.#rest = Buffer.from("\n");
      return this.#hand(to, size);
    }
    if (prompt !== this.#library.option("continue")) return undefined;
    // The end of input inside an expression is an error of R that brings it to top level.
    this.#isSilent = true;
    return 0;
  }

  #hand(to, size) {
    const cut = whole(this.#rest, size - 1);
    this.#library.store(to, Buffer.concat([this.#rest.subarray(0, cut), Buffer.alloc(1)]));
    this.#rest = this.#rest.subarray(cut);
    return 1;
  }

  #quit(status, runsLast, reason = "runtime_exit") {
    if (runsLast) this.#library.runLast();
    this.#showPlot();
    this.#library.finalize();
    this.#library.cleanTemporary();
    this.#end(reason, `exit ${status}`, status);
  }

  #end(reason, message, status) {
    this.#gate.close({ type: "session_end", reason, message });
    this.#exit(status);
  }
}

/** How much of `bytes` fits in `size` without cutting a character. */
function whole(bytes, size) {
  if (bytes.length <= size) return bytes.length;
  let cut = size;
  while (cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return cut;
}
