/**
 * A shell in its sandbox, as the REPL hears and drives it.
 *
 * Its keeper (workers/bash-keeper.bash) tells in marks of each prompt, of what it found when it was
 * asked to look, and of the end. A mark stands in both streams and counts once it was read in both:
 * all that was printed before it has been heard then. What keeper and shell say is the word of
 * something sandboxed, and decides of no more than when this session takes input.
 */
import os from "node:os";
import type { Link } from "../protocol/link.ts";
import type { LinkListener } from "../protocol/worker-link.ts";
import { Farewell } from "./farewell.ts";
import { MarkReader } from "./mark-reader.ts";
import { type Found, ShellWatch } from "./shell-watch.ts";
import { feedWords, lookWord, runWord, SHELL_WORDS } from "./shell-words.ts";

type Stream = "stdout" | "stderr";

const END_OF_INPUT = "\u0004";
/** Marks that were read in one stream and not yet in the other; there are never more than a few. */
const MOST_UNPAIRED = 16;
const SILENT = "the shell no longer reports the end of a cell";

export class ShellLink implements Link {
  readonly hearsErrors = true;
  readonly #listener: LinkListener;
  readonly #tell: (words: string) => void;
  readonly #watch: ShellWatch;
  readonly #output: Farewell;
  readonly #streams: Readonly<Record<Stream, MarkReader>>;
  readonly #unpaired = new Map<string, Stream>();
  #state: "starting" | "idle" | "busy" | "asking" | "over" = "starting";
  /** The number of the last prompt: one that is repeated, after an interrupt that came late, ends no cell. */
  #prompts = 0;
  /** The last prompt before it was set again. */
  #repairedAfter: number | undefined;
  /** The prompt of what set it again, where that was not needed: it ends no cell. */
  #extra: number | undefined;
  #isFed = false;

  constructor(listener: LinkListener, tell: (words: string) => void) {
    this.#listener = listener;
    this.#tell = tell;
    this.#output = new Farewell((bytes, stream) => listener.text(bytes, stream));
    this.#watch = new ShellWatch(
      (number) => tell(lookWord(number)),
      (found) => this.#found(found),
    );
    this.#streams = { stdout: this.#reader("stdout"), stderr: this.#reader("stderr") };
  }

  /** The words that hand it input. It is busy from then on, until it says otherwise. */
  input(text: string): string {
    const lines = text.replaceAll("\r\n", "\n");
    const wasIdle = this.#state === "idle";
    if (!wasIdle && this.#state !== "asking") {
      throw new Error(
        `Cannot hand input to a shell that is ${this.#state}, expected one that waits`,
      );
    }
    this.#busy();
    return wasIdle ? runWord(lines) : this.#fed(lines);
  }

  /** It was told to stop what it does. */
  interrupted(): void {
    if (this.#state === "busy" || this.#state === "asking") this.#busy();
  }

  /** Takes what its process wrote. */
  hear(chunk: Uint8Array, stream: Stream): void {
    if (this.#state !== "over") this.#streams[stream].read(chunk);
  }

  /** Nothing more comes of it. */
  close(): void {
    this.#state = "over";
    this.#watch.stop();
  }

  #reader(stream: Stream): MarkReader {
    return new MarkReader({
      text: (bytes) => {
        this.#watch.heard();
        this.#output.text(bytes, stream);
      },
      mark: (word) => this.#pair(word, stream),
      broke: () => this.#break(),
    });
  }

  #fed(lines: string): string {
    this.#isFed = true;
    if (lines.endsWith(END_OF_INPUT)) return feedWords(lines.slice(0, -1), true);
    return feedWords(lines.endsWith("\n") ? lines : `${lines}\n`, false);
  }

  #busy(): void {
    this.#state = "busy";
    this.#watch.start();
  }

  #pair(word: string, stream: Stream): void {
    const other = this.#unpaired.get(word);
    if (other === undefined) {
      const [oldest] = this.#unpaired.keys();
      if (oldest !== undefined && this.#unpaired.size >= MOST_UNPAIRED)
        this.#unpaired.delete(oldest);
      this.#unpaired.set(word, stream);
    } else if (other !== stream) {
      this.#unpaired.delete(word);
      this.#said(word.split(":"));
    }
  }

  #said([kind, first = "", second = ""]: readonly string[]): void {
    if (this.#state === "over") return;
    if (kind === "p") this.#prompted(Number(first), Number(second));
    else if (kind === "l") this.#watch.saw(Number(first), second);
    else if (kind === "x") this.#ended(first, Number(second));
  }

  #prompted(number: number, status: number): void {
    if (!(number > this.#prompts) || Number.isNaN(status)) return;
    this.#prompts = number;
    if (this.#isExtra(number)) return;
    this.#watch.stop();
    if (this.#isFed) this.#tell(SHELL_WORDS.discard);
    this.#isFed = false;
    const isFirst = this.#state === "starting";
    if (isFirst) this.#listener.greets();
    else this.#output.release();
    this.#state = "idle";
    this.#listener.waits(undefined, isFirst ? undefined : status);
  }

  /** A prompt that came after all, though it was set again, is followed by the one of that. */
  #isExtra(number: number): boolean {
    const isExtra = number === this.#extra;
    const cameAfterAll = !isExtra && this.#repairedAfter === number - 1;
    this.#extra = cameAfterAll ? number + 1 : undefined;
    this.#repairedAfter = undefined;
    return isExtra;
  }

  #repair(): void {
    this.#repairedAfter = this.#prompts;
    this.#tell(SHELL_WORDS.repair);
  }

  #found(found: Found): void {
    if (found === "broken") this.#repair();
    else this.#output.release();
    if (found === "silent") this.#end(SILENT);
    if (found !== "input") return;
    this.#state = "asking";
    this.#listener.waits("");
  }

  #ended(how: string, number: number): void {
    if (how === "signal") this.#output.release();
    this.#end(how === "signal" ? `signal ${nameOf(number)}` : `exit ${number}`);
  }

  #end(message: string): void {
    this.close();
    this.#listener.ends(message);
    this.#tell(SHELL_WORDS.quit);
  }

  #break(): void {
    if (this.#state === "over") return;
    this.close();
    this.#listener.broke("it sent no key");
  }
}

function nameOf(signal: number): string {
  const names = Object.entries(os.constants.signals);
  return names.find(([, number]) => number === signal)?.[0] ?? String(signal);
}
