import { ExecError } from "../../exec-error.ts";
import type { OpenFile } from "../../files/file-operations.ts";
import { fileMethods } from "../../protocol/file-methods.ts";
import { decodeBase64 } from "../../server/decode-base64.ts";
import type { OpenSession } from "../link/open-session.ts";
import { base64, notBase64 } from "./base64.ts";
import type { FileCalls } from "./file-calls.ts";

/** What one call carries. */
const MOST_BYTES = 1 << 20;

/** A file that a connection has open on another machine. It is over with the connection. */
export class RemoteOpenFile implements OpenFile {
  readonly #calls: FileCalls;
  readonly #session: OpenSession;
  readonly #handleId: string;

  constructor(calls: FileCalls, session: OpenSession, handleId: string) {
    this.#calls = calls;
    this.#session = session;
    this.#handleId = handleId;
  }

  /** As much as is asked for, a block at a time. */
  async read(offset: number, len: number) {
    const blocks: Uint8Array[] = [];
    for (let done = 0; ; ) {
      const { chunk, eof } = await this.#readBlock(offset + done, Math.min(len - done, MOST_BYTES));
      if (chunk.length === 0 && !eof && done < len) throw neitherBytesNorEnd();
      done += chunk.length;
      blocks.push(chunk);
      if (eof || done >= len) {
        const [only = chunk, ...more] = blocks;
        return { chunk: more.length === 0 ? only : Buffer.concat(blocks, done), eof };
      }
    }
  }

  async #readBlock(offset: number, len: number) {
    const params = { handleId: this.#handleId, offset, len };
    const { chunk, eof } = await this.#calls.on(this.#session, fileMethods.readBlock, params);
    return { chunk: decodeBase64(chunk, notBase64), eof };
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += MOST_BYTES) {
      const chunk = base64(bytes.subarray(start, start + MOST_BYTES));
      const params = { handleId: this.#handleId, offset: offset + start, chunk };
      await this.#calls.on(this.#session, fileMethods.writeBlock, params);
    }
  }

  /** A connection that is over has closed it. */
  async close(): Promise<void> {
    const params = { handleId: this.#handleId };
    try {
      await this.#calls.on(this.#session, fileMethods.close, params);
    } catch (error) {
      if (!(error instanceof ExecError) || error.code !== "disconnected") throw error;
    }
  }
}

/** Asking again would go on for as long as the server answers so. */
function neitherBytesNorEnd(): ExecError {
  const what = "the server sent nothing and no end, expected bytes or an end";
  return new ExecError("untrustedServer", `Cannot read the bytes of a file: ${what}`);
}
