/** Runs cells, one at a time. */
import { Session } from "node:inspector";
import process from "node:process";
import { promiseHooks } from "node:v8";
import { describe, describeSyntaxError, pictureOf, show } from "./show.mjs";
import { candidatesOf, stripTypes } from "./source.mjs";

const RESULTS = "cell";
/** Raised by the debugger itself, before anything ran. */
const UNREADABLE = /^SyntaxError: [^\n]*\n +at Session\.post \(node:inspector/;
const CALL = { functionDeclaration: "function (...all) { this(...all) }" };
const NAME = "\n//# sourceURL=<repl>";
/** A cell may put a mock in its place. */
const later = globalThis.setImmediate;

export class Cells {
  #post;
  #streams;
  #debug = new Session();
  #finisher;
  #asker;
  #asked;
  #last;
  #isLastOurs = true;
  /** The cell that runs or is about to; 0 between cells. */
  #current = 0;
  #taken = 0;

  constructor(post, streams) {
    this.#post = post;
    this.#streams = streams;
    this.#debug.connect();
    this.#finisher = this.#handleOf((value, isThrown) => this.#finish(value, isThrown));
    this.#asker = this.#handleOf(() => this.#asked());
    this.#defineLast();
  }

  /** A cell is about to run: from now on it may be interrupted. */
  take(cell) {
    this.#current = cell;
    this.#taken = cell;
  }

  /** Runs the cell that was taken and reports when it is over; one that was interrupted is over already. */
  run(cell, source) {
    this.#post.reach.forLoop(() => {
      if (cell !== this.#current) return;
      this.#streams.setRunning(true);
      try {
        this.#try(candidatesOf(source), cell, source);
      } catch (error) {
        process.stderr.write(describe(error));
        this.#end(cell);
      }
    });
  }

  /**
   * Gives up the cell that waits for something, or to run; what it waits for goes on.
   *
   * Asked again until the cell was told as over: an earlier interrupt may have unwound what was to run
   * the cell, or to tell.
   */
  interrupt(cell) {
    this.#post.reach.forLoop(() => {
      if (cell > this.#taken) this.take(cell);
      if (cell === this.#current) this.#giveUp(cell);
      else this.#post.ready(cell);
    });
  }

  /** No cell is heard of any more. */
  close() {
    this.#current = 0;
  }

  /** Evaluates the first reading of the cell that is one, and nothing of those that are not. */
  #try([expression, ...others], cell, source) {
    const options = { expression: expression + NAME, replMode: true, objectGroup: RESULTS };
    const release = this.#keepPromise();
    this.#ask("Runtime.evaluate", options, (error, reply) => {
      release();
      if (cell !== this.#current) return;
      if (error) return this.#giveUp(cell);
      const next = this.#outcome(reply, { cell, expression, others, source });
      if (next.length > 0) this.#try(next, cell, source);
      else this.#end(cell);
    });
  }

  /**
   * Has the debugger run code of the user's; what comes of it is taken later where that waits for something.
   *
   * Asked from within the debugger: it holds up an interrupt that comes on the way to that code or back.
   */
  #ask(method, options, take) {
    const { reach } = this.#post;
    const answer = (error, reply) => reach.outside(() => take(error, reply));
    this.#asked = () => reach.within(() => this.#debug.post(method, options, answer));
    this.#debug.post("Runtime.callFunctionOn", { ...CALL, objectId: this.#asker }, (error) => {
      if (error) answer(error);
    });
  }

  /** Shows what came of it, or returns the readings to try instead. */
  #outcome({ result, exceptionDetails }, { cell, expression, others, source }) {
    const isThrown = exceptionDetails !== undefined;
    if (!isThrown || !UNREADABLE.test(result.description)) {
      this.#show(cell, result, isThrown);
      return [];
    }
    const next = others.length > 0 ? others : stripTypes(expression, source);
    if (next.length === 0) this.#showSyntaxError(expression, result, exceptionDetails);
    return next;
  }

  /**
   * Holds on to the promise of the next evaluation until it is told to let go.
   *
   * The debugger would answer when it is collected: in the middle of that, where
   * no JavaScript may run, and the process would abort.
   */
  #keepPromise() {
    const kept = [];
    const stop = promiseHooks.onInit((promise) => {
      kept.push(promise);
      stop();
    });
    return () => {
      stop();
      kept.length = 0;
    };
  }

  #showSyntaxError(expression, result, details) {
    const message = (result.description ?? "").split("\n", 1)[0];
    process.stderr.write(describeSyntaxError(message, expression, details));
  }

  /** Hands the value itself to `#finish`, within reach of an interrupt. */
  #show(cell, { objectId, value, unserializableValue }, isThrown) {
    const args = [{ objectId, value, unserializableValue }, { value: isThrown }];
    const call = { ...CALL, objectId: this.#finisher, arguments: args };
    this.#ask("Runtime.callFunctionOn", call, (error) => {
      if (error) this.#giveUp(cell);
    });
  }

  #finish(value, isThrown) {
    if (isThrown) {
      process.stderr.write(describe(value));
      return;
    }
    if (value === undefined) return;
    if (this.#isLastOurs) this.#last = value;
    const data_b64 = tryTo(() => pictureOf(value));
    if (data_b64 === undefined) process.stdout.write(tryTo(() => show(value)) ?? "");
    else
      this.#post.send({ type: "output_image", mime_type: "image/png", data_b64, is_update: false });
  }

  #giveUp(cell) {
    if (cell !== this.#current) return;
    process.stderr.write("Interrupted\n");
    this.#end(cell);
  }

  #end(cell) {
    if (cell !== this.#current) return;
    this.#current = 0;
    this.#debug.post("Runtime.releaseObjectGroup", { objectGroup: RESULTS });
    this.#streams.setRunning(false);
    // Later: rejections nobody handles are told first.
    later(() => this.#post.reach.forLoop(() => this.#post.ready(cell)));
  }

  /** `_` is the last value, until the user gives it another. */
  #defineLast() {
    Object.defineProperty(globalThis, "_", {
      configurable: true,
      get: () => this.#last,
      set: (value) => {
        this.#isLastOurs = false;
        Object.defineProperty(globalThis, "_", { value, configurable: true, writable: true });
      },
    });
  }

  #handleOf(value) {
    const name = "writ:handle";
    globalThis[name] = value;
    let handle;
    this.#debug.post("Runtime.evaluate", { expression: `globalThis["${name}"]` }, (_, reply) => {
      handle = reply.result.objectId;
    });
    delete globalThis[name];
    return handle;
  }
}

/** What code of the user's makes of a value; where it throws, that is told. */
function tryTo(make) {
  try {
    return make();
  } catch (error) {
    process.stderr.write(describe(error));
    return undefined;
  }
}
