/**
 * Decides what becomes of each line between a client and a confined server.
 *
 * Pure but for its own books: lines and ends of processes go in, actions come
 * out. There is one process at a time. A tool call is forwarded only to a process
 * that was started under the state it came with; everything else goes to whatever
 * lives, else to a process that may do next to nothing.
 */
import { type Incoming, MARK } from "../../rpc/index.ts";
import { isObject } from "../is-object.ts";
import { idsOfCall } from "../state/ids-of-call.ts";
import { readMetaState, type StateRefusal } from "../state/read-sandbox-state.ts";
import { CallQueue, type Waiting } from "./books/call-queue.ts";
import { Handshake, requestText } from "./books/handshake.ts";
import { InFlight } from "./books/in-flight.ts";
import { Questions } from "./books/questions.ts";
import {
  type Action,
  type ConfineRules,
  type StartAs,
  toClient,
  toServer,
} from "./confine-rules.ts";
import { INTRODUCTIONS, withCapability, withoutState } from "./lines/capability.ts";
import { askedBy, cancelNotice, errorReply, failureReply } from "./lines/failure-reply.ts";
import type { Answer, Notification, Request, Unreadable } from "./lines/line.ts";
import { hasBadMeta, metaOf } from "./lines/meta-of.ts";
import { answeredId, readLine } from "./lines/read-line.ts";
import { refuseRequest } from "./lines/refuse-request.ts";
import { withReceipt } from "./lines/with-receipt.ts";
import type { Phase } from "./phase.ts";

const CHANGED = "the sandbox policy changed";

/** A call that was made a task is answered with the task, and its result is asked for. */
const RESULTS_OF_CALLS: readonly string[] = ["tools/call", "tasks/result"];

export class ConfineCore {
  readonly #rules: ConfineRules;
  readonly #queue = new CallQueue();
  readonly #inFlight = new InFlight();
  readonly #questions = new Questions();
  readonly #handshake = new Handshake();
  #phase: Phase = { kind: "none" };
  #generation = 0;

  constructor(rules: ConfineRules) {
    this.#rules = rules;
  }

  /** Whether nobody waits for anything. */
  get isQuiet(): boolean {
    return this.#queue.first === undefined && this.#isSettled && this.#inFlight.isEmpty;
  }

  /** How many characters wait for their turn. */
  get waiting(): number {
    return this.#queue.characters;
  }

  /** A line of the client. */
  client(incoming: Incoming): Action[] {
    const line = readLine(incoming);
    switch (line.kind) {
      case "unreadable":
        return this.#garbageOfClient(line);
      case "answer":
        return this.#answerOfClient(line);
      case "notification":
        return this.#notificationOfClient(line);
      case "request":
        return this.#requestOfClient(line);
    }
  }

  /** A line of the process of a generation. */
  server(generation: number, incoming: Incoming): Action[] {
    if (!this.#lives(generation)) return [];
    const line = readLine(incoming);
    switch (line.kind) {
      case "unreadable":
        return this.#garbageOfServer(line);
      case "answer":
        return this.#answerOfServer(line);
      case "request":
        return [this.#questions.ask(line)];
      case "notification":
        return this.#notificationOfServer(line);
    }
  }

  /** The process runs, and this is on record of it. */
  started(generation: number, receiptId: string | null = null): Action[] {
    if (this.#phase.kind !== "starting" || !this.#lives(generation)) return [];
    const { greeting } = this.#handshake;
    if (greeting === undefined) {
      this.#phase = { ...this.#phase, kind: "serving", receiptId };
      return this.#advance();
    }
    this.#phase = { ...this.#phase, kind: "greeting", receiptId };
    return [toServer(requestText(this.#inFlight.greet(), "initialize", greeting))];
  }

  /** It could not be started, and this is on record of that. */
  notStarted(generation: number, message: string, receiptId: string | null = null): Action[] {
    if (!this.#lives(generation)) return [];
    this.#phase = { kind: "none" };
    return [...this.#failFirst(message, receiptId), ...this.#advance()];
  }

  /** It ended, or cannot be spoken with any more; `words` are its last. */
  lost(generation: number, reason: string, words = ""): Action[] {
    if (!this.#lives(generation)) return [];
    const said = words === "" ? "" : `. It last said:\n${words}`;
    const hasServed = this.#phase.kind === "serving";
    const why = `Cannot start the server: ${reason}${said}`;
    const first = hasServed ? [] : this.#failFirst(why, this.#receiptId);
    return [...first, ...this.#leave(`the server is gone: ${reason}`, said)];
  }

  /** It is over, with all it started. */
  gone(generation: number): Action[] {
    if (this.#phase.kind !== "ending" || this.#phase.generation !== generation) return [];
    this.#phase = { kind: "none" };
    return this.#advance();
  }

  get #receiptId(): string | null {
    return this.#phase.kind === "none" ? null : this.#phase.receiptId;
  }

  get #isSettled(): boolean {
    return this.#phase.kind === "none" || this.#phase.kind === "serving";
  }

  #lives(generation: number): boolean {
    const { kind } = this.#phase;
    return kind !== "none" && kind !== "ending" && this.#phase.generation === generation;
  }

  #answerOfClient(answer: Answer): Action[] {
    const text = this.#questions.answer(answer);
    return text === undefined ? [] : [toServer(text)];
  }

  #notificationOfClient(message: Notification): Action[] {
    // A call without an id would be no notification of the protocol, and might be run all the same.
    if (!message.method.startsWith("notifications/") || hasBadMeta(message)) return [];
    if (message.method === "notifications/cancelled") return this.#cancel(message);
    this.#queue.push(message);
    return this.#advance();
  }

  /** Whoever waits for it on either side learns that it cannot be read. */
  #garbageOfClient({ code, message, meant }: Unreadable): Action[] {
    if (meant?.kind === "notification") return [];
    if (meant?.kind === "answer") {
      return this.#answerOfClient({ ...meant, text: errorReply(meant.id, code, message) });
    }
    const isItsOwn = meant && !meant.id.includes(MARK) && !this.#isInUse(meant.id);
    return [toClient(errorReply(isItsOwn ? meant.idText : undefined, code, message))];
  }

  #isInUse(id: string): boolean {
    return this.#inFlight.has(id) || this.#queue.has(id);
  }

  #requestOfClient(message: Request): Action[] {
    const { id, idText } = message;
    if (this.#isInUse(id)) {
      const what = `Cannot take request ${idText}: its id is in use, expected a new one`;
      return [toClient(errorReply(undefined, -32600, what))];
    }
    const refusal = refuseRequest(message);
    if (refusal !== undefined) return [toClient(refusal)];
    this.#queue.push(message);
    return this.#advance();
  }

  #cancel(notice: Notification): Action[] {
    const id = isObject(notice.params) ? JSON.stringify(notice.params.requestId) : "";
    if (!this.#queue.has(id)) return this.#inFlight.cancel(id) ? [toServer(notice.text)] : [];
    const wasFirst = this.#queue.remove(id);
    // Nobody may be left to wait for a server that never answers the greeting.
    return wasFirst && this.#phase.kind === "greeting" ? this.#leave("the call was cancelled") : [];
  }

  #advance(): Action[] {
    const actions: Action[] = [];
    for (let { first } = this.#queue; first && this.#isSettled; first = this.#queue.first) {
      actions.push(...this.#step(first));
    }
    return actions;
  }

  #step(first: Waiting): Action[] {
    const { message } = first;
    if (message.kind === "notification") return this.#passNotification(message);
    first.wants ??= this.#wantsOf(message);
    const wants = first.wants;
    if (wants !== "any" && wants.kind === "refused") return this.#failFirst(wants.message);
    if (this.#phase.kind === "none") return this.#start(message, wants);
    if (wants === "any" || wants.key === this.#phase.key) return this.#forward(message);
    return this.#leave(CHANGED);
  }

  #wantsOf({ method, params }: Request): StartAs | StateRefusal | "any" {
    const { bind } = this.#rules;
    if (method !== "tools/call" || bind === undefined) return "any";
    const reading = readMetaState(metaOf(params));
    return reading.kind === "refused" ? reading : bind(reading.state);
  }

  #start({ method, params }: Request, wants: StartAs | "any"): Action[] {
    const as = wants === "any" ? this.#rules.rest() : wants;
    if (as.kind === "refused") return this.#failFirst(as.message);
    if (method === "initialize") this.#handshake.forget();
    this.#generation += 1;
    const generation = this.#generation;
    this.#phase = { kind: "starting", generation, key: as.key, receiptId: null };
    const ids = idsOfCall({ _meta: metaOf(params) });
    return [{ kind: "start", generation, intent: as.intent, ids }];
  }

  #forward(message: Request): Action[] {
    this.#queue.shift();
    this.#inFlight.add(message);
    return [toServer(withoutState(message.text, message.params))];
  }

  #passNotification(message: Notification): Action[] {
    this.#queue.shift();
    if (message.method === "notifications/initialized") this.#handshake.initialized();
    if (this.#phase.kind === "none") return [];
    return [toServer(withoutState(message.text, message.params))];
  }

  /** Never for the client, except that it must not wait for an answer that nobody can read. */
  #garbageOfServer({ code, message, text }: Unreadable): Action[] {
    const id = answeredId(text);
    const asked = id === undefined ? undefined : this.#inFlight.settle(id);
    const isPlain = code === -32700 && text !== "";
    const noise: Action = { kind: "noise", text: isPlain ? text : `${message}: ${text}` };
    if (typeof asked !== "object") return [noise];
    const what = `Cannot pass on the answer to "${asked.method}": ${message}`;
    return [noise, toClient(failureReply(asked, what, this.#receiptId))];
  }

  #answerOfServer(answer: Answer): Action[] {
    const asked = this.#inFlight.settle(answer.id);
    if (asked === undefined || asked === "own") return [];
    if (asked === "greeting") return this.#greeted(answer);
    if (answer.isError) return [toClient(answer.text)];
    if (asked.lasting) this.#handshake.succeeded(asked.lasting);
    const isOfCall = RESULTS_OF_CALLS.includes(asked.method);
    const text = withReceipt(answer.text, isOfCall ? this.#receiptId : null);
    if (!INTRODUCTIONS.includes(asked.method)) return [toClient(text)];
    return [toClient(withCapability(text, this.#rules.bind !== undefined))];
  }

  #greeted({ isError, text }: Answer): Action[] {
    if (this.#phase.kind !== "greeting") return [];
    if (isError) {
      const why = `Cannot start the server: it refused the handshake: ${text}`;
      const failed = this.#failFirst(why, this.#receiptId);
      return [...failed, ...this.#leave("the server refused the handshake")];
    }
    this.#phase = { ...this.#phase, kind: "serving" };
    const rest = this.#handshake.rest(() => this.#inFlight.own());
    return [...rest.map(toServer), ...this.#advance()];
  }

  #notificationOfServer(message: Notification): Action[] {
    if (message.method !== "notifications/cancelled") return [toClient(message.text)];
    const text = this.#questions.cancel(message);
    return text === undefined ? [] : [toClient(text)];
  }

  /** Whatever waits for this process learns that it waits in vain. */
  #leave(why: string, said = ""): Action[] {
    if (this.#phase.kind === "none") return [];
    const { generation, key, receiptId } = this.#phase;
    this.#phase = { kind: "ending", generation, key, receiptId };
    const unanswered = this.#inFlight.clear().map((asked) => {
      const what = `Cannot finish "${asked.method}": ${why}; whether it took effect is unknown`;
      return toClient(failureReply(asked, `${what}${said}`, receiptId));
    });
    const untold = this.#questions.clear().map((id) => toClient(cancelNotice(id, why)));
    return [...unanswered, ...untold, { kind: "end", generation }];
  }

  /** The request whose turn it is gets no further. One behind it has nothing to do with why. */
  #failFirst(why: string, receiptId: string | null = null): Action[] {
    const { message, wants } = this.#queue.first ?? {};
    if (message?.kind !== "request" || wants === undefined) return [];
    this.#queue.shift();
    return [toClient(failureReply(askedBy(message), why, receiptId))];
  }
}
