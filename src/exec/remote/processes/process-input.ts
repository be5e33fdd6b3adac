/**
 * What is written to a process on another machine, in the order it was written.
 *
 * Each piece has a name. After a drop it is sent again under the same name, and
 * a server that had it does not write it again.
 */
import { ExecError } from "../../exec-error.ts";
import { processMethods } from "../../protocol/process-methods.ts";
import type { SessionLink } from "../link/session-link.ts";
import { toExecError } from "../to-exec-error.ts";

const MOST_BYTES = 1 << 20;

export class ProcessInput {
  readonly #processId: string;
  readonly #link: SessionLink;
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(processId: string, link: SessionLink) {
    this.#processId = processId;
    this.#link = link;
  }

  /** False where the process has no input, or had. */
  write(bytes: Uint8Array): Promise<boolean> {
    const written = this.#last.then(() => this.#writeAll(bytes));
    this.#last = written.catch(() => {});
    return written;
  }

  async #writeAll(bytes: Uint8Array): Promise<boolean> {
    for (let start = 0; start === 0 || start < bytes.length; start += MOST_BYTES) {
      if (!(await this.#send(bytes.subarray(start, start + MOST_BYTES)))) return false;
    }
    return true;
  }

  async #send(bytes: Uint8Array): Promise<boolean> {
    this.#count += 1;
    const processId = this.#processId;
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
    const params = { processId, chunk, writeId: `write-${this.#count}` };
    try {
      const { status } = await this.#link.call(processMethods.write, () => params);
      if (status !== "starting") return status === "accepted";
    } catch (fault) {
      throw toExecError(fault);
    }
    throw new ExecError(
      "invalidRequest",
      `Cannot write to "${processId}": it is starting, expected it to run`,
    );
  }
}
