/**
 * A conversation with one thread: lines in, what happens out.
 *
 * It ends with the input, with /quit, or when the server is gone. ^C stops a turn; where none runs,
 * the second one ends.
 */
import {
  ReceivedRpcError,
  RpcFailure,
  type Transport,
  type WebSocketAddress,
} from "../../rpc/index.ts";
import type { CliWorld } from "../command.ts";
import type { ChatOptions } from "./chat-options.ts";
import { ChatQuestions } from "./chat-questions.ts";
import { ChatSteering } from "./chat-steering.ts";
import { type BeginMembers, ChatThread } from "./chat-thread.ts";
import { chooseModel, refuseUnknownModel } from "./choose-model.ts";
import { type ChatClient, type ChatListener, createChatClient } from "./client/chat-client.ts";
import type { ChatEvent, ChatQuestion, Decision } from "./client/chat-event.ts";
import { ChatInputError, type ChatPlace, type CommandAnswer } from "./commands/chat-command.ts";
import { parseChatLine } from "./commands/chat-commands.ts";
import { explainInThread } from "./explain-in-thread.ts";
import { keptReceipts } from "./kept-receipts.ts";
import { OpenChanges } from "./open-changes.ts";
import { PAST_SHOWN, type Past } from "./past.ts";
import type { Keyboard } from "./terminal/keyboard.ts";
import type { Screen } from "./terminal/screen.ts";
import { MARKS, shownLine, shownText } from "./text/shown-text.ts";
import type { Paint } from "./view/paint.ts";
import { ThreadView } from "./view/thread-view.ts";
import { welcomeLines } from "./view/welcome-lines.ts";

export interface ChatParts {
  readonly world: CliWorld;
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  readonly secrets: readonly string[];
  /** How much of a line of ours fits. */
  readonly width: () => number;
  readonly version: string;
}

export class Chat implements ChatListener {
  readonly #parts: ChatParts;
  readonly #client: ChatClient;
  readonly #thread: ChatThread;
  readonly #view: ThreadView;
  readonly #questions: ChatQuestions;
  readonly #changes = new OpenChanges();
  readonly #steering: ChatSteering;
  readonly #place: ChatPlace;
  /** Shown already, and still to be said. */
  #late: readonly string[] = [];
  #isWarned = false;
  #isLost = false;
  #isEnding = false;
  #hasBegun = false;

  constructor(transport: Transport, parts: ChatParts) {
    this.#parts = parts;
    this.#view = new ThreadView(parts);
    this.#client = createChatClient(transport, this);
    const { call } = this.#client;
    this.#thread = new ChatThread(call);
    this.#questions = new ChatQuestions({
      ...parts,
      print: (text) => this.#aside(text),
      echo: (text) => this.#echo(text),
      note: (text) => this.#note(text),
      changes: this.#changes,
      settled: () => this.#thread.settled,
    });
    this.#steering = new ChatSteering({
      thread: this.#thread,
      show: (line) => this.#interject(shownText(line, MARKS.user, parts.secrets)),
      note: (text) => this.#note(text),
      refused: (error) => this.#refused(error),
    });
    parts.keyboard.heed((line) => this.#steering.take(line));
    const explain = (path: string) => this.#explain(path);
    const none = { kept: () => [], listed: [] };
    this.#place = { thread: this.#thread, call, explain, now: Date.now, ...none };
    void this.#client.peer.closed.then(({ reason }) => this.#lose(reason));
  }

  /** Talks until the end; the answer is the exit status. */
  async run(options: ChatOptions): Promise<number> {
    try {
      await this.#begin(options);
      while (await this.#step());
      return this.#isLost ? 1 : 0;
    } finally {
      // Also where the server refused: an open connection would hold the process for ever.
      this.#leave();
    }
  }

  async #begin({ begin, resume, remote }: ChatOptions): Promise<void> {
    await this.#greet(remote?.address);
    if (remote === undefined) this.#place.kept = (id) => keptReceipts(id, this.#parts.world);
    const refuse = remote === undefined ? refuseUnknownModel : () => {};
    if (resume === undefined) await this.#thread.start(begin);
    else await this.#resume(await this.#idOf(resume), begin, refuse);
    refuse(this.#thread.settings);
    this.#hasBegun = true;
    this.#notes(welcomeLines(this.#thread.settings));
  }

  /** A resume keeps what it is asked for, so that is refused before. */
  async #resume(id: string, begin: BeginMembers, refuse: typeof refuseUnknownModel): Promise<void> {
    const members = await chooseModel(begin, id, this.#client.call);
    refuse(members);
    this.#showPast(await this.#thread.resume(id, members));
  }

  /** Every app-server takes this; what does not speaks another protocol. */
  async #greet(address: WebSocketAddress | undefined): Promise<void> {
    const clientInfo = { name: "writ-chat", version: this.#parts.version };
    const capabilities = { experimentalApi: true };
    try {
      await this.#client.call.session.initialize({ clientInfo, capabilities });
    } catch (cause) {
      if (!isMisread(cause) || address === undefined) throw cause;
      const place = address.kind === "url" ? address.url : `unix://${address.path}`;
      const what = "it is no app-server, expected one";
      throw new ChatInputError(`Cannot talk to "${place}": ${what}`, { cause });
    }
  }

  #leave(): void {
    this.#isEnding = true;
    this.#client.peer.close();
  }

  /** ^C, or the signal that is sent for it. */
  interrupt(): void {
    const isTurn = this.#thread.turn !== undefined;
    const mayGoOn = isTurn || this.#parts.keyboard.asksAgain;
    if (this.#isWarned || !mayGoOn) this.end();
    else if (isTurn) this.#thread.interrupt().catch((error: unknown) => this.#refused(error));
    else {
      this.#parts.keyboard.forget();
      this.#note("^C again ends, and so does /quit.");
    }
    this.#isWarned = true;
  }

  /** Waits for nothing any more. */
  end(): void {
    this.#thread.abandon();
    this.#parts.keyboard.close();
    if (!this.#hasBegun) this.#leave();
  }

  heard(event: ChatEvent): void {
    this.#thread.hear(event);
    this.#changes.hear(event);
    this.#questions.hear(event);
    this.#steering.hear(event);
    if (this.#thread.isAbout(event)) this.#parts.screen.print(this.#view.tell(event));
  }

  async asked(question: ChatQuestion, id: Parameters<ChatListener["asked"]>[1]): Promise<Decision> {
    const decision = await this.#questions.ask(question, id);
    if (this.#thread.turn !== undefined) this.#parts.screen.begin();
    if (decision === "cancel" && question.kind === "permissionsApproval") {
      await this.#thread.interrupt();
    }
    return decision;
  }

  async #step(): Promise<boolean> {
    try {
      const line = await this.#next();
      return line !== undefined && (await this.#heed(line));
    } catch (error) {
      if (this.#isLost) return false;
      this.#refused(error);
      return true;
    }
  }

  async #next(): Promise<string | undefined> {
    const [late, ...others] = this.#late;
    this.#late = others;
    const line = late ?? (await this.#parts.keyboard.line());
    this.#isWarned = false;
    if (late === undefined && line !== undefined) this.#echo(line);
    return line;
  }

  async #heed(line: string): Promise<boolean> {
    const parsed = parseChatLine(line);
    if (parsed.kind === "nothing") return true;
    if (parsed.kind === "command") {
      return this.#answered(await parsed.command.run(parsed.argument, this.#place));
    }
    const { screen } = this.#parts;
    screen.begin();
    try {
      await this.#thread.say(parsed.text);
      this.#late = [...this.#late, ...(await this.#steering.settle())];
    } finally {
      screen.end();
      this.#isWarned = false;
    }
    return !this.#isLost;
  }

  #answered({ lines, past, isTable, ends }: CommandAnswer): boolean {
    if (past !== undefined) this.#showPast(past);
    this.#notes(lines, isTable ? this.#parts.width() : undefined);
    return ends !== true;
  }

  #showPast({ items, isCut }: Past): void {
    const hidden = Math.max(0, items.length - PAST_SHOWN);
    if (isCut) this.#note("Earlier items are not shown.");
    else if (hidden > 0) this.#note(`${hidden} earlier items are not shown.`);
    for (const item of items) this.#changes.see(item);
    for (const item of items.slice(hidden)) this.#parts.screen.print(this.#view.past(item));
  }

  async #idOf(resume: NonNullable<ChatOptions["resume"]>): Promise<string> {
    if (resume !== "last") return resume.id;
    const { cwd } = this.#parts.world;
    const query = { limit: 1, sortKey: "updated_at", sortDirection: "desc", cwd } as const;
    const [last] = (await this.#client.call.thread.list(query)).data;
    if (last !== undefined) return last.id;
    throw new ChatInputError(`Cannot resume: no thread of "${cwd}" is kept, expected one`);
  }

  async #explain(path: string) {
    const { settings, id } = this.#thread;
    const { thread } = await this.#client.call.thread.read({ threadId: id });
    const workspaceRoots = thread.environments?.[0]?.runtimeWorkspaceRoots ?? [];
    return explainInThread(path, { settings, workspaceRoots, world: this.#parts.world });
  }

  #lose(reason: string): void {
    if (this.#isEnding) return;
    this.#isLost = true;
    this.#note(`The server is gone: ${reason}.`);
    this.end();
  }

  /** What the other side, or a rule of ours, refused. Anything else is a fault. */
  #refused(error: unknown): void {
    if (!isRefusal(error)) throw error;
    // Whoever leaves waits for no answer.
    if (this.#isEnding) return;
    this.#parts.screen.print(this.#parts.paint.bad(this.#line(error.message)));
  }

  #echo(text: string): void {
    const { keyboard, screen, secrets } = this.#parts;
    if (keyboard.echoes) screen.print(shownText(text, MARKS.user, secrets));
  }

  /** Says something while somebody else may be in the middle of a line. */
  #interject(text: string): void {
    this.#parts.screen.print(this.#view.giveWay() + text);
  }

  #aside(text: string): void {
    this.#parts.screen.end();
    this.#parts.screen.print(text);
  }

  #notes(lines: readonly string[], most?: number): void {
    for (const line of lines) this.#parts.screen.print(this.#line(line, most));
  }

  #note(text: string): void {
    this.#aside(this.#line(text));
  }

  #line(text: string, most?: number): string {
    const { secrets } = this.#parts;
    const room = most === undefined ? undefined : Math.max(20, most - MARKS.writ.length);
    return `${MARKS.writ}${shownLine(text, secrets, room)}\n`;
  }
}

function isMisread(error: unknown): boolean {
  const codes = ["invalidParams", "invalidRequest", "methodNotFound"];
  return error instanceof ReceivedRpcError && codes.includes(error.code);
}

/** Refusals have a sentence for a person. */
export function isRefusal(error: unknown): error is Error {
  return [ChatInputError, ReceivedRpcError, RpcFailure].some((kind) => error instanceof kind);
}
