/**
 * The rows of `events.log`: what stands where, in order.
 *
 * Text is named by its place in the transcript, a picture by its file, a line of
 * the server is there itself. Lines count from one, the last included; bytes
 * count from zero, the end excluded.
 */
import { countFeeds } from "../output/count-feeds.ts";

const HEADER = "v1\ntext transcript.txt\nimages images/\n";

export class BundleLog {
  #rows = [HEADER];
  #bytes = 0;
  #line = 1;
  #run: { line: number; bytes: number; endLine: number } | undefined;

  /** Text as it is appended to the transcript. */
  text(text: string, bytes: number): void {
    if (bytes === 0) return;
    this.#run ??= { line: this.#line, bytes: this.#bytes, endLine: this.#line };
    const feeds = countFeeds(text);
    this.#run.endLine = this.#line + feeds - (text.endsWith("\n") ? 1 : 0);
    this.#line += feeds;
    this.#bytes += bytes;
  }

  image(file: string): void {
    this.#endRun();
    this.#rows.push(`I ${file}\n`);
  }

  notice(text: string): void {
    this.#endRun();
    this.#rows.push(`S ${JSON.stringify(text)}\n`);
  }

  /** The rows since the last call; the header is the first. */
  takeRows(): string {
    this.#endRun();
    const rows = this.#rows.join("");
    this.#rows = [];
    return rows;
  }

  #endRun(): void {
    if (!this.#run) return;
    const { line, bytes, endLine } = this.#run;
    this.#rows.push(`T lines=${line}-${endLine} bytes=${bytes}-${this.#bytes}\n`);
    this.#run = undefined;
  }
}
