/**
 * Everything one session prints, in the order in which it was printed.
 *
 * Bytes become text here, terminal escapes go, and pictures get their numbers.
 * What has arrived is handed to the record at once and to a reply once.
 */
import { EscapeStripper } from "./escape-stripper.ts";
import type { ImageEvent, OutputEvent, OutputStream } from "./output-event.ts";
import type { ImageItem, LineItem, OutputItem, TextItem } from "./output-item.ts";
import { PlotNumbers } from "./plot-numbers.ts";
import { RetainedItems, type Retention } from "./retained-items.ts";
import { StderrMarks } from "./stderr-marks.ts";
import { Utf8Decoder } from "./utf8-decoder.ts";

/** What a reply is made of: the items since the last one, and how much echo there was beside them. */
export interface Taken {
  readonly items: readonly OutputItem[];
  readonly echoChars: number;
}

export interface TimelineOptions {
  readonly retention: Retention;
  /** Told of every item as it arrives, however little of it is retained. */
  readonly record?: (item: OutputItem) => void;
}

const UPDATE_NOTICE = "[repl] image update from previous request shown as a new image";
const STREAMS: readonly OutputStream[] = ["stdout", "stderr", "raw"];

export class Timeline {
  readonly #record: (item: OutputItem) => void;
  readonly #retained: RetainedItems;
  readonly #readers: Readonly<Record<OutputStream, StreamReader>>;
  readonly #marks = new StderrMarks();
  readonly #plots = new PlotNumbers();
  /** Echoes are counted and recorded; no reply shows them. */
  #echoChars = 0;

  constructor({ retention, record = () => {} }: TimelineOptions) {
    this.#record = record;
    this.#retained = new RetainedItems(retention);
    this.#readers = { stdout: streamReader(), stderr: streamReader(), raw: streamReader() };
  }

  /** Whether there is nothing to take. */
  get isEmpty(): boolean {
    return this.#retained.isEmpty;
  }

  add(event: OutputEvent): void {
    if (event.kind === "text") {
      this.#text(event.stream, this.#readers[event.stream].write(event.bytes));
    } else if (event.kind === "prompt") this.#text("stdout", event.text);
    else if (event.kind === "image") this.#image(event);
    else if (event.kind === "echo") this.#echo(event.text);
    else this.#push({ kind: event.kind, text: event.text });
  }

  /** Shows what was held for the rest of a character: there will be none. */
  seal(): void {
    for (const stream of STREAMS) this.#text(stream, this.#readers[stream].seal());
  }

  /** A new request. What was printed before it and not taken is taken first. */
  begin(): void {
    this.seal();
    this.#marks.reset();
    this.#plots.begin();
  }

  /** What the next `take` would give, unmarked; `undefined` if some of it was not retained. */
  untaken(): readonly OutputItem[] | undefined {
    return this.#retained.hasGap ? undefined : this.#retained.items();
  }

  /** The items since the last take. None is given twice. */
  take(): Taken {
    const items = this.#retained.items();
    this.#retained.clear();
    const echoChars = this.#echoChars;
    this.#echoChars = 0;
    this.#marks.interrupt();
    return { items: merged(items).map((item) => this.#marked(item)), echoChars };
  }

  #text(stream: OutputStream, text: string): void {
    if (text === "") return;
    const shownAs = stream === "stderr" ? "stderr" : "stdout";
    this.#record({ kind: "text", stream: shownAs, text, mark: "" });
    this.#retained.pushText(shownAs, text);
  }

  #image(event: ImageEvent): void {
    const { plot, isForeign } = this.#plots.number(event);
    if (isForeign) this.#push({ kind: "notice", text: UPDATE_NOTICE });
    this.#push({ kind: "image", plot, mimeType: event.mimeType, data: event.data });
  }

  #echo(text: string): void {
    if (text === "") return;
    this.#echoChars += text.length;
    this.#record({ kind: "echo", text });
  }

  #push(item: ImageItem | LineItem): void {
    this.#record(item);
    this.#retained.push(item);
  }

  #marked(item: OutputItem): OutputItem {
    if (item.kind === "text") {
      return { ...item, mark: this.#marks.markBefore(item.stream, item.text) };
    }
    this.#marks.interrupt();
    return item;
  }
}

interface StreamReader {
  write(bytes: Uint8Array): string;
  seal(): string;
}

function streamReader(): StreamReader {
  const decoder = new Utf8Decoder();
  const stripper = new EscapeStripper();
  return {
    write: (bytes) => stripper.write(decoder.write(bytes)),
    seal: () => stripper.write(decoder.seal()) + stripper.seal(),
  };
}

/** Neighbours of one stream as one item. */
function merged(items: readonly OutputItem[]): OutputItem[] {
  const runs: { item: OutputItem; texts: string[] }[] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (item.kind === "text" && last && isTextOf(last.item, item.stream))
      last.texts.push(item.text);
    else runs.push({ item, texts: item.kind === "text" ? [item.text] : [] });
  }
  return runs.map(({ item, texts }) =>
    item.kind === "text" ? { ...item, text: texts.join("") } : item,
  );
}

function isTextOf(item: OutputItem, stream: TextItem["stream"]): boolean {
  return item.kind === "text" && item.stream === stream;
}
