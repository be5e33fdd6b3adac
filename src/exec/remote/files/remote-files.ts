/** Files of another machine, each operation under the intent it comes with. */
import { isDeepStrictEqual } from "node:util";
import { type PathUri, parsePathUri } from "../../../policy/index.ts";
import { ExecError } from "../../exec-error.ts";
import { FileError } from "../../files/file-error.ts";
import type {
  AtPath,
  FileMetadata,
  FileOperations,
  FolderEntry,
  OpenFile,
} from "../../files/file-operations.ts";
import type { Walked, WalkOptions } from "../../files/walked.ts";
import { fileMethods, LOOK_RECEIPTS_CAPABILITY } from "../../protocol/file-methods.ts";
import type { LookRecord } from "../../receipts/look-record.ts";
import { decodeBase64 } from "../../server/decode-base64.ts";
import { hasAnchors } from "../anchors/remote-anchors.ts";
import type { OpenSession } from "../link/open-session.ts";
import type { SessionLink } from "../link/session-link.ts";
import type { Sign } from "../processes/remote-processes.ts";
import { writeIntent } from "../write-intent.ts";
import { base64, notBase64 } from "./base64.ts";
import { FileCalls } from "./file-calls.ts";
import { type Looked, type LookParams, lookOnRecord } from "./look-on-record.ts";
import { RemoteOpenFile } from "./remote-open-file.ts";

/** As base64, with all that a request says besides, it fits into the longest message. */
const MOST_IN_ONE = 32 << 20;
/** The largest file that is read at all. */
const MOST_BYTES = 512 << 20;

export class RemoteFiles implements FileOperations {
  readonly #calls: FileCalls;
  #opened = 0;

  constructor(link: SessionLink, sign: Sign) {
    this.#calls = new FileCalls(link, sign);
  }

  async readFile(at: AtPath, { record }: { readonly record?: LookRecord } = {}) {
    try {
      const { dataBase64 } = await this.#looking(this.#at(at), record, (params) =>
        this.#calls.look(fileMethods.readFile, params),
      );
      return decodeBase64(dataBase64, notBase64);
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== "tooLarge") throw error;
      return this.#use(at, { mode: "read", ...(record && { record }) }, readAll);
    }
  }

  async writeFile(at: AtPath, bytes: Uint8Array): Promise<void> {
    if (bytes.length > MOST_IN_ONE) {
      return this.#use(at, { mode: "replace" }, (file) => file.write(0, bytes));
    }
    const params = { ...this.#at(at), dataBase64: base64(bytes) };
    await this.#calls.change(fileMethods.writeFile, params);
  }

  async createDirectory(at: AtPath, { recursive }: { recursive: boolean }): Promise<void> {
    await this.#calls.change(fileMethods.createDirectory, { ...this.#at(at), recursive });
  }

  async getMetadata(at: AtPath): Promise<FileMetadata> {
    return this.#calls.look(fileMethods.getMetadata, this.#at(at));
  }

  async canonicalize(at: AtPath): Promise<PathUri> {
    const { path } = await this.#calls.look(fileMethods.canonicalize, this.#linked(at));
    return parsePathUri(path);
  }

  async readDirectory(
    at: AtPath,
    { record }: { readonly record?: LookRecord } = {},
  ): Promise<readonly FolderEntry[]> {
    const { entries } = await this.#looking(this.#linked(at), record, (params) =>
      this.#calls.look(fileMethods.readDirectory, params),
    );
    return entries;
  }

  async walk(at: AtPath, options: WalkOptions): Promise<Walked> {
    const params = { ...this.#linked(at), options };
    const { entries, errors, truncated } = await this.#calls.look(fileMethods.walk, params);
    return { entries: entries.map(withUri), errors: errors.map(withUri), truncated };
  }

  async remove(
    at: AtPath,
    { recursive, force, signal }: Parameters<FileOperations["remove"]>[1],
  ): Promise<void> {
    signal?.throwIfAborted();
    await this.#calls.change(fileMethods.remove, { ...this.#at(at), recursive, force });
  }

  async copy(
    from: AtPath,
    to: AtPath,
    { recursive, signal }: Parameters<FileOperations["copy"]>[2],
  ): Promise<void> {
    const { path: sourcePath, ...under } = this.#linked(from);
    const { path: destinationPath, ...other } = this.#linked(to);
    if (!isDeepStrictEqual(under, other)) {
      throw invalid(
        `Cannot copy "${from.path}": its two paths have two intents, anchors or words on links, expected one`,
      );
    }
    signal?.throwIfAborted();
    const params = { sourcePath, destinationPath, recursive, ...under };
    await this.#calls.change(fileMethods.copy, params);
  }

  async open(
    at: AtPath,
    mode: "read" | "replace",
    { record }: { readonly record?: LookRecord } = {},
  ): Promise<OpenFile> {
    this.#opened += 1;
    const handleId = `file-${this.#opened}`;
    const params = { ...this.#linked(at), handleId, mode };
    const session = await this.#calls.link.ready();
    await this.#looking(params, record, (asked) =>
      this.#calls.on(session, fileMethods.open, asked),
    );
    return new RemoteOpenFile(this.#calls, session, handleId);
  }

  /** A server that does not say that it keeps receipts of looks would pass over the word, or refuse it. */
  #looking<P extends LookParams, T extends Looked>(
    params: P,
    record: LookRecord | undefined,
    look: (params: P) => Promise<T>,
  ): Promise<T> {
    const { trust, environment } = this.#calls.link.session;
    const keeps = environment?.capabilities[LOOK_RECEIPTS_CAPABILITY] === true;
    if (record === undefined || trust.kind !== "writ" || !keeps) return look(params);
    return lookOnRecord(params, record, look);
  }

  #at({ path, links, sandbox, anchor }: AtPath) {
    const { session } = this.#calls.link;
    const follow = links === "refuse" ? { followSymlinks: false } : {};
    const writ = anchor === null ? {} : { writ: { anchor: knownTo(session, anchor) } };
    return { path, ...follow, sandbox: writeIntent(sandbox, session.trust), ...writ };
  }

  /** Only ours know the word here. Others would pass over it, and follow. */
  #linked(at: AtPath) {
    const { trust } = this.#calls.link.session;
    if (at.links === "follow" || trust.kind === "writ") return this.#at(at);
    throw invalid(
      `Cannot refuse links on the way to "${at.path}": this server has no word for it here, expected "follow"`,
    );
  }

  async #use<T>(at: AtPath, { mode, ...options }: Use, work: (file: OpenFile) => Promise<T>) {
    const file = await this.open(at, mode, options);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }
}

interface Use {
  readonly mode: "read" | "replace";
  readonly record?: LookRecord;
}

async function readAll(file: OpenFile): Promise<Uint8Array> {
  const { chunk, eof } = await file.read(0, MOST_BYTES);
  if (!eof) throw invalid(`file is too large to read: limit is ${MOST_BYTES} bytes`);
  return chunk;
}

/** Others would pass over the name and look elsewhere. */
function knownTo(session: OpenSession, anchor: string): string {
  if (hasAnchors(session)) return anchor;
  throw new ExecError(
    "unknownAnchor",
    `Cannot use files in anchor "${anchor}": this server has no anchors, expected one that has`,
    { field: "anchor" },
  );
}

function withUri<T extends { readonly path: string }>(found: T): T & { readonly path: PathUri } {
  return { ...found, path: parsePathUri(found.path) };
}

function invalid(message: string): FileError {
  return new FileError("invalid", message);
}
