/**
 * Questions of a server, put to a person one after the other.
 *
 * Nobody's answer is no. A question that the server takes back is taken off the screen.
 */
import { setImmediate } from "node:timers/promises";
import type { RequestId } from "../../rpc/index.ts";
import type { ChatEvent, ChatQuestion, Decision } from "./client/chat-event.ts";
import type { OpenChanges } from "./open-changes.ts";
import type { Keyboard } from "./terminal/keyboard.ts";
import { ANSWERS, questionText, readAnswer } from "./view/question-text.ts";

export interface QuestionPlace {
  readonly keyboard: Keyboard;
  readonly secrets: readonly string[];
  /** Prints at the beginning of a line. */
  readonly print: (text: string) => void;
  /** An answer as it was given, where nobody saw it being typed. */
  readonly echo: (text: string) => void;
  readonly note: (text: string) => void;
  readonly changes: Pick<OpenChanges, "of">;
  /** Settles when what happened before is about to be shown. */
  readonly settled: () => Promise<void>;
}

export class ChatQuestions {
  readonly #place: QuestionPlace;
  readonly #open = new Map<RequestId, AbortController>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: QuestionPlace) {
    this.#place = place;
  }

  /** Heeds what makes questions void. */
  hear(event: ChatEvent): void {
    if (event.kind === "serverRequestResolved") this.#open.get(event.params.requestId)?.abort();
  }

  async ask(question: ChatQuestion, id: RequestId | undefined): Promise<Decision> {
    const stop = new AbortController();
    if (id !== undefined) this.#open.set(id, stop);
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      await before;
      await this.#place.settled();
      // What was told before it is shown before it.
      await setImmediate();
      return await this.#answer(question, stop.signal);
    } finally {
      if (id !== undefined) this.#open.delete(id);
      resolve();
    }
  }

  async #answer(question: ChatQuestion, signal: AbortSignal): Promise<Decision> {
    const { keyboard, secrets, print, echo, note, changes } = this.#place;
    if (signal.aborted) return "decline";
    await keyboard.unsay();
    if (signal.aborted) return "decline";
    print(questionText(question, secrets, changes.of(question)));
    for (;;) {
      const text = await keyboard.answer(signal);
      if (signal.aborted) {
        note("It is no longer asked.");
        return "decline";
      }
      if (text === undefined) {
        note("No, since nobody is there to answer.");
        return "decline";
      }
      echo(text);
      const decision = readAnswer(text);
      if (decision !== undefined) return decision;
      if (!keyboard.asksAgain) {
        note("No, since that is not one of the answers.");
        return "decline";
      }
      print(`? ${ANSWERS}\n`);
    }
  }
}
