import { RpcError } from "../../../rpc/index.ts";
import type { OpenFile } from "../../files/file-operations.ts";

const MOST = 128;
const MAX_ID_BYTES = 32;

/** The files that one connection has open, by the names it gave them. */
export class OpenFiles {
  /** A symbol stands for one that is being opened, and for no other of that name. */
  readonly #files = new Map<string, OpenFile | symbol>();
  #closed = false;

  /** Opens one under a name that is free. */
  async open(id: string, open: () => Promise<OpenFile>): Promise<void> {
    this.#check(id);
    // Taken at once: another call may come before this one is done, and close it or take the name.
    const opening = Symbol(id);
    this.#files.set(id, opening);
    try {
      const file = await open();
      if (this.#closed || this.#files.get(id) !== opening) await file.close();
      else this.#files.set(id, file);
    } catch (error) {
      if (this.#files.get(id) === opening) this.#files.delete(id);
      throw error;
    }
  }

  find(id: string): OpenFile {
    const file = this.#files.get(id);
    if (typeof file === "object") return file;
    throw new RpcError("notFound", `unknown file handle \`${id}\``);
  }

  /** It may have been closed before. */
  async close(id: string): Promise<void> {
    const file = this.#files.get(id);
    this.#files.delete(id);
    if (typeof file === "object") await file.close();
  }

  async closeAll(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#files.keys()].map((id) => this.close(id)));
  }

  #check(id: string): void {
    if (Buffer.byteLength(id) > MAX_ID_BYTES) {
      throw new RpcError("invalidRequest", `file handle ID must not exceed ${MAX_ID_BYTES} bytes`);
    }
    if (this.#files.has(id)) {
      throw new RpcError("invalidRequest", `file handle \`${id}\` already exists`);
    }
    if (this.#files.size >= MOST) {
      throw new RpcError("invalidRequest", `too many open file handles: limit is ${MOST}`);
    }
  }
}
