/**
 * What is on the screen: text that stays, and a line that says how long something runs.
 *
 * In a pipe there is only text that stays.
 */
import { LineWrap } from "./line-wrap.ts";

const PROGRESS_MS = 1000;
const ERASE = "\r\u001b[2K";

export interface ScreenOptions {
  readonly write: (text: string) => void;
  /** Whether the cursor can be moved. */
  readonly isLive: boolean;
  /** Lets something be written where a line is being edited. */
  readonly around?: (write: () => void) => void;
  readonly isEditing?: () => boolean;
  /** How many characters fit a row; absent where nothing breaks a line. */
  readonly columns?: () => number;
  readonly now?: () => number;
}

export class Screen {
  readonly #options: ScreenOptions;
  readonly #wrap: (text: string) => string;
  #isAtStart = true;
  #hasProgress = false;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** An unfinished line, while another is edited. */
  #waiting = "";

  constructor(options: ScreenOptions) {
    this.#options = options;
    const wrap = options.columns && new LineWrap(options.columns);
    this.#wrap = (text) => wrap?.wrap(text) ?? text;
  }

  /** Text that stays. */
  print(text: string): void {
    const { isEditing, around, write } = this.#options;
    if (!isEditing?.()) {
      const all = this.#waiting + text;
      this.#waiting = "";
      if (all === "") return;
      this.#erase();
      this.#isAtStart = all.endsWith("\n");
      write(this.#wrap(all));
      return;
    }
    const all = this.#waiting + text;
    const end = all.lastIndexOf("\n") + 1;
    this.#waiting = all.slice(end);
    const whole = this.#wrap(all.slice(0, end));
    if (end > 0) around?.(() => write(whole));
  }

  /** Shows from now on how long it takes, once it takes long. */
  begin(): void {
    if (!this.#options.isLive) return;
    clearInterval(this.#timer);
    this.#since = this.#now();
    this.#timer = setInterval(() => this.#tick(), PROGRESS_MS).unref();
  }

  /** Is done, and at the beginning of a line. */
  end(): void {
    clearInterval(this.#timer);
    this.#since = undefined;
    this.#erase();
    if (!this.#isAtStart) this.print("\n");
  }

  #tick(): void {
    const since = this.#since;
    if (since === undefined || !this.#isAtStart || this.#options.isEditing?.()) return;
    const seconds = Math.floor((this.#now() - since) / 1000);
    this.#hasProgress = true;
    this.#options.write(`${ERASE}- ${seconds} s, ^C stops it`);
  }

  #erase(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    this.#options.write(ERASE);
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}
