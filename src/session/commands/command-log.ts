/**
 * All that a command printed, kept in the workspace when a result cannot hold it.
 *
 * The folder ignores itself, as far as git is concerned. Where the policy does
 * not let the log be written there is none, and the result says so: a command
 * that ran is not made to fail by it.
 */
import { randomUUID } from "node:crypto";
import type { HeldSandbox } from "../lifecycle/sandbox-holder.ts";
import type { CommandOutput } from "../provider/provided-command.ts";
import { KeptOutput } from "./kept-output.ts";

/** Where logs lie, in the workspace. */
const LOG_FOLDER = ".writ-logs";

const SHOWN = { head: 10_000, tail: 20_000 };
const LOGGED = { head: 8 << 20, tail: 8 << 20 };

/** What a result shows of one stream. */
export interface ShownStream {
  readonly text: string;
  readonly isCut: boolean;
}

export class CommandLog {
  readonly #streams = { stdout: new KeptOutput(SHOWN), stderr: new KeptOutput(SHOWN) };
  readonly #all = new KeptOutput(LOGGED);

  add({ stream, chunk }: CommandOutput): void {
    this.#streams[stream].add(chunk);
    this.#all.add(chunk);
  }

  /** Beginning and end of a stream; in between a line that says what is missing and where it is. */
  show(stream: CommandOutput["stream"], log: string | null): ShownStream {
    const kept = this.#streams[stream];
    const where = log === null ? "it was not kept" : `${this.#logged} in ${log}`;
    const gap = (missing: number) => `[${missing} of ${kept.total} bytes left out; ${where}]`;
    return { text: kept.render(gap).toString(), isCut: kept.isCut };
  }

  /** A log has an end, too. */
  get #logged(): string {
    return this.#all.isCut ? "more of it, beginning and end, is" : "all of it is";
  }

  /** Writes the log where something does not fit a result; its path, or null where there is none. */
  async save({ sandbox, intent }: HeldSandbox, signal: AbortSignal): Promise<string | null> {
    const { stdout, stderr } = this.#streams;
    if (!stdout.isCut && !stderr.isCut) return null;
    const path = `${LOG_FOLDER}/${randomUUID()}.log`;
    const gap = (missing: number) => `[${missing} of ${this.#all.total} bytes left out]`;
    const files = [
      { path: `${LOG_FOLDER}/.gitignore`, content: Buffer.from("*\n") },
      { path, content: this.#all.render(gap) },
    ];
    try {
      await sandbox.writeFiles(files, { intent, signal });
      return path;
    } catch {
      return null;
    }
  }
}
