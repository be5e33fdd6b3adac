/**
 * The thread that is talked to: begun or resumed, its settings, its turns.
 *
 * One turn at a time is waited for. Settings are those that the server said last.
 */
import { setImmediate } from "node:timers/promises";
import type { ChatSettings } from "./chat-settings.ts";
import type { ChatClient } from "./client/chat-client.ts";
import type { ChatEvent } from "./client/chat-event.ts";
import { areTurnsTooLong, lastItems, type Past } from "./past.ts";
import type { ThreadItem } from "./view/item-text.ts";

type Calls = ChatClient["call"];

/** What a thread is begun with. */
export type BeginMembers = Omit<Parameters<Calls["thread"]["start"]>[0], "cwd">;

/** How the policy is changed. */
export type PolicyChange = Pick<
  Parameters<Calls["thread"]["settingsUpdate"]>[0],
  "permissions" | "sandboxPolicy"
>;

interface Current {
  readonly id: string;
  readonly settings: ChatSettings;
}

export class ChatThread {
  readonly #call: Calls;
  readonly #over = new Map<string, () => void>();
  readonly #ended = new Set<string>();
  #current: Current | undefined;
  #turn: string | undefined;
  #settled: Promise<void> = Promise.resolve();

  constructor(call: Calls) {
    this.#call = call;
  }

  get id(): string {
    return this.#known.id;
  }

  get settings(): ChatSettings {
    return this.#known.settings;
  }

  /** The turn that is waited for. */
  get turn(): string | undefined {
    return this.#turn;
  }

  async start(members: BeginMembers): Promise<void> {
    const { thread, ...settings } = await this.#call.thread.start(members);
    this.#current = { id: thread.id, settings };
  }

  /** Goes on with a thread; the answer is what happened in it, of very much the end. */
  resume(threadId: string, members: BeginMembers): Promise<Past> {
    const resuming = this.#resume(threadId, members);
    this.#settled = resuming.then(
      () => {},
      () => {},
    );
    return resuming;
  }

  /** Settles when nothing is being resumed: what is asked in a thread comes after its past. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  async #resume(threadId: string, members: BeginMembers): Promise<Past> {
    try {
      return { items: await this.#goOn({ threadId, ...members }), isCut: false };
    } catch (error) {
      if (!areTurnsTooLong(error)) throw error;
    }
    await this.#goOn({ threadId, ...members, excludeTurns: true });
    return lastItems(this.#call.thread, threadId);
  }

  async #goOn(request: Parameters<Calls["thread"]["resume"]>[0]): Promise<readonly ThreadItem[]> {
    const { thread, ...settings } = await this.#call.thread.resume(request);
    const left = this.#current?.id;
    this.#current = { id: thread.id, settings };
    if (left !== undefined && left !== thread.id) this.#leave(left);
    return thread.turns.flatMap(({ items }) => items);
  }

  /** Nobody waits for it: a question of the other thread comes next, and its past is shown before that. */
  #leave(threadId: string): void {
    this.#call.thread.unsubscribe({ threadId }).catch(() => {});
  }

  /** Whether an event is about this thread, or about none. */
  isAbout(event: ChatEvent): boolean {
    const { threadId } = Object(event.params);
    return typeof threadId !== "string" || threadId === this.#current?.id;
  }

  /** Heeds what the server tells. */
  hear(event: ChatEvent): void {
    if (event.kind === "turnCompleted") {
      const { id } = event.params.turn;
      this.#ended.add(id);
      this.#over.get(id)?.();
    }
    if (event.kind !== "threadSettingsUpdated" || event.params.threadId !== this.#current?.id) {
      return;
    }
    const { sandboxPolicy: sandbox, ...settings } = event.params.threadSettings;
    this.#current = { id: this.#current.id, settings: { ...settings, sandbox } };
  }

  /** Says something, and waits until all is done about it. */
  async say(text: string): Promise<void> {
    const { turn } = await this.#call.turn.start({ threadId: this.id, input: inputOf(text) });
    this.#turn = turn.id;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#over.set(turn.id, resolve);
    if (this.#ended.has(turn.id)) resolve();
    await promise;
    this.#over.delete(turn.id);
    this.#ended.clear();
    this.#turn = undefined;
  }

  /** Says something to the turn that is waited for; `name` is what its item will be called by. */
  async steer(text: string, name: string): Promise<void> {
    const { id: threadId, turn: expectedTurnId = "" } = this;
    const said = { input: inputOf(text), clientUserMessageId: name };
    await this.#call.turn.steer({ threadId, expectedTurnId, ...said });
  }

  /** Stops the turn that is waited for; it says itself that it is over. */
  async interrupt(): Promise<void> {
    const turnId = this.#turn;
    if (turnId === undefined) return;
    await this.#call.turn.interrupt({ threadId: this.id, turnId });
  }

  /** Waits for no turn any more: nobody is left who could tell of its end. */
  abandon(): void {
    for (const over of this.#over.values()) over();
  }

  /** From the next turn on. The server tells what came of it before it answers. */
  async changePolicy(change: PolicyChange): Promise<void> {
    const { writ } = await this.#call.thread.settingsUpdate({ threadId: this.id, ...change });
    // What was told before the answer may still wait to be heard.
    await setImmediate();
    this.#current = { id: this.id, settings: { ...this.settings, writ } };
  }

  get #known(): Current {
    if (this.#current === undefined) throw new Error("There is no thread yet");
    return this.#current;
  }
}

function inputOf(text: string) {
  return [{ type: "text" as const, text, text_elements: [] }];
}
