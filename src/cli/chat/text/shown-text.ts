/**
 * How text of strangers comes to a screen: neutral, without secrets, and with a mark before every
 * line that says who speaks, so that nobody can speak in another's name.
 */
import { visibleLine } from "../../../sandbox/index.ts";
import { NeutralStream } from "./neutral-stream.ts";
import { SecretStream } from "./secret-stream.ts";
import { redact } from "./secrets.ts";

/** Who speaks, as the first two characters of a line. */
export const MARKS = {
  user: "> ",
  model: "< ",
  command: "$ ",
  output: "| ",
  question: "? ",
  writ: "- ",
} as const;

export type Mark = (typeof MARKS)[keyof typeof MARKS];

/** Text that comes in pieces. */
export class ShownStream {
  readonly #mark: Mark;
  readonly #neutral = new NeutralStream();
  readonly #secrets: SecretStream;
  #isAtStart = true;

  constructor(mark: Mark, secrets: readonly string[]) {
    this.#mark = mark;
    this.#secrets = new SecretStream(secrets);
  }

  write(piece: string): string {
    return this.#marked(this.#secrets.write(this.#neutral.write(piece)));
  }

  /** The rest of it, and the end of its last line. */
  end(): string {
    const rest = this.#secrets.write(this.#neutral.end()) + this.#secrets.end();
    return this.#marked(rest) + this.breakLine();
  }

  /** Ends the line that is open, because somebody else speaks. */
  breakLine(): string {
    if (this.#isAtStart) return "";
    this.#isAtStart = true;
    return "\n";
  }

  #marked(text: string): string {
    if (text === "") return "";
    const start = this.#isAtStart ? this.#mark : "";
    this.#isAtStart = text.endsWith("\n");
    const body = this.#isAtStart ? text.slice(0, -1) : text;
    return `${start}${body.replaceAll("\n", `\n${this.#mark}`)}${this.#isAtStart ? "\n" : ""}`;
  }
}

/** A whole text, each line under the mark. */
export function shownText(text: string, mark: Mark, secrets: readonly string[]): string {
  const stream = new ShownStream(mark, secrets);
  return stream.write(text) + stream.end();
}

/** Text on one line, of a long one the beginning, without a mark. */
export function shownLine(text: string, secrets: readonly string[], most?: number): string {
  return visibleLine(redact(text, secrets), most);
}
