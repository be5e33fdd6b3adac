/**
 * What to print for what a thread tells. Pure: events in, text out.
 *
 * The first character of a line says who speaks. What comes in pieces is printed in pieces; where
 * somebody else speaks meanwhile, the line is ended first.
 */
import type { ChatEvent } from "../client/chat-event.ts";
import { MARKS, type Mark, ShownStream, shownLine, shownText } from "../text/shown-text.ts";
import { commandEnd, commandLine, type Telling } from "./command-line.ts";
import { itemOutput, itemText, type ThreadItem } from "./item-text.ts";
import type { Paint } from "./paint.ts";
import { isWrite, printedSince, typedText } from "./typed-text.ts";

/** The most that is shown of one command or message; all of it is kept with the thread. */
const MOST_SHOWN = 256 * 1024;

export interface ViewOptions {
  readonly paint: Paint;
  readonly secrets: readonly string[];
}

interface Open {
  readonly stream: ShownStream;
  length: number;
}

export class ThreadView {
  readonly #options: ViewOptions;
  readonly #open = new Map<string, Open>();
  #speaks: string | undefined;
  /** The command that was typed into last, and whether it has told since what it prints. */
  #typed: { readonly into: string; isHeard: boolean } | undefined;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  /** What is to be printed now; nothing for what is of no interest. */
  tell(event: ChatEvent): string {
    switch (event.kind) {
      case "itemStarted":
        return this.#started(event.params.item);
      case "itemAgentMessageDelta":
        return this.#more(event.params, MARKS.model);
      case "itemCommandExecutionOutputDelta":
        if (this.#typed?.into === event.params.itemId) this.#typed.isHeard = true;
        return this.#more(event.params, MARKS.output);
      case "itemCommandExecutionTerminalInteraction":
        this.#typed = { into: event.params.itemId, isHeard: false };
        return "";
      case "itemCompleted":
        return this.#completed(event.params.item, "live");
      case "turnCompleted":
        return this.#breakLine() + this.#turnEnd(event.params.turn);
      case "warning":
        return this.#say(event.params.message);
      case "configWarning":
        return this.#say(event.params.summary);
      case "mcpServerStartupStatusUpdated":
        return event.params.error === null
          ? ""
          : this.#say(`The MCP server "${event.params.name}" failed: ${event.params.error}`);
      default:
        return "";
    }
  }

  /** What has to be printed before somebody else speaks. */
  giveWay(): string {
    return this.#breakLine();
  }

  /** A whole item that happened before. */
  past(item: ThreadItem): string {
    if (item.type !== "userMessage") return this.#started(item) + this.#completed(item, "past");
    const said = item.content
      .map((one) => (one.type === "text" ? String(one.text) : ""))
      .join("\n");
    return shownText(said, MARKS.user, this.#options.secrets);
  }

  #started(item: ThreadItem): string {
    const line = this.#lineOf(item);
    if (line === undefined) return "";
    const { paint, secrets } = this.#options;
    return this.#breakLine() + paint.strong(shownText(line, MARKS.command, secrets));
  }

  /** What runs, or is typed into what runs. */
  #lineOf(item: ThreadItem): string | undefined {
    if (item.type === "commandExecution") return commandLine(item.command);
    if (!isWrite(item)) return undefined;
    this.#typed = undefined;
    return typedText(item);
  }

  #more({ itemId, delta }: { itemId: string; delta: string }, mark: Mark): string {
    const open = this.#openOf(itemId, mark);
    const before = this.#speaks === itemId ? "" : this.#breakLine();
    this.#speaks = itemId;
    const room = MOST_SHOWN - open.length;
    open.length += delta.length;
    if (room < 0) return before;
    if (delta.length <= room) return before + open.stream.write(delta);
    const note = this.#note("There is more of it, which is not shown.");
    return before + open.stream.write(delta.slice(0, room)) + open.stream.breakLine() + note;
  }

  #openOf(itemId: string, mark: Mark): Open {
    const known = this.#open.get(itemId);
    if (known !== undefined) return known;
    const made = { stream: new ShownStream(mark, this.#options.secrets), length: 0 };
    this.#open.set(itemId, made);
    return made;
  }

  #completed(item: ThreadItem, telling: Telling): string {
    const unheard = this.#open.has(item.id) ? "" : this.#unheard(item);
    const before = this.#speaks === item.id ? "" : this.#breakLine();
    const rest = before + (this.#open.get(item.id)?.stream.end() ?? "");
    this.#open.delete(item.id);
    if (this.#speaks === item.id) this.#speaks = undefined;
    return unheard + rest + this.#end(item, telling);
  }

  /** What was told at the end only. */
  #unheard(item: ThreadItem): string {
    const delta = isWrite(item) ? this.#printed(item) : itemOutput(item);
    const mark = item.type === "agentMessage" ? MARKS.model : MARKS.output;
    return delta === "" ? "" : this.#more({ itemId: item.id, delta }, mark);
  }

  /** What the command has told meanwhile is on the screen. */
  #printed(item: Parameters<typeof printedSince>[0]): string {
    return this.#typed?.isHeard ? "" : printedSince(item);
  }

  #end(item: ThreadItem, telling: Telling): string {
    const { paint } = this.#options;
    if (item.type === "commandExecution") {
      return commandEnd(item, telling)
        .map(({ text, isBad }) => (isBad ? paint.bad : paint.faint)(this.#note(text)))
        .join("");
    }
    // That somebody looked is no news.
    if (isWrite(item) && item.status === "completed" && typedText(item) === undefined) return "";
    return itemText(item)
      .map((text) => paint.faint(this.#note(text)))
      .join("");
  }

  #turnEnd({ status, error }: Extract<ChatEvent, { kind: "turnCompleted" }>["params"]["turn"]) {
    if (status === "interrupted") return this.#note("The turn was stopped.");
    if (error === null) return "";
    return this.#options.paint.bad(this.#note(error.message));
  }

  #breakLine(): string {
    const open = this.#speaks === undefined ? undefined : this.#open.get(this.#speaks);
    this.#speaks = undefined;
    return open?.stream.breakLine() ?? "";
  }

  #say(text: string): string {
    return this.#breakLine() + this.#note(text);
  }

  #note(text: string): string {
    return `${MARKS.writ}${shownLine(text, this.#options.secrets)}\n`;
  }
}
