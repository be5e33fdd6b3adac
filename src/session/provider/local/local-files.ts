import { FileError, type FileOperations, type SandboxIntent } from "../../../exec/index.ts";
import { refuseAborted } from "../../refusal.ts";
import { type Attempt, whatOf } from "../attempt.ts";
import type { DirEntry, FileRequest, FilesChanged, FileToWrite } from "../provided-sandbox.ts";
import { sandboxPath } from "../sandbox-path.ts";
import { untilAborted } from "../until-aborted.ts";
import { removeFiles } from "./remove-files.ts";
import { type ReplacePlace, replaceFiles } from "./replace-files.ts";
import { attempting } from "./to-session-error.ts";

type AtPath = Parameters<FileOperations["readFile"]>[0];
type FolderEntry = Awaited<ReturnType<FileOperations["readDirectory"]>>[number];

interface FilesPlace extends ReplacePlace {
  /** Its own name, for receipts. */
  readonly session: string;
}

/** Settles where something may be tried under an intent. */
type Admit = (intent: SandboxIntent, attempt: Attempt) => Promise<void>;

/** Files of a sandbox through those of its executor, each under the intent it comes with. */
export class LocalFiles {
  readonly #place: FilesPlace;
  readonly #admit: Admit;
  readonly #writes = new Set<Promise<unknown>>();

  constructor(place: FilesPlace, admit: Admit) {
    this.#place = place;
    this.#admit = admit;
  }

  async mkDir(path: string, under: FileRequest): Promise<void> {
    const attempt = { verb: "make the folder", thing: path, work: "change" } as const;
    const at = this.#at(path, under);
    refuseAborted(under.signal, whatOf(attempt));
    await attempting(attempt, async () => {
      await this.#admit(under.intent, attempt);
      refuseAborted(under.signal, whatOf(attempt));
      await this.#place.files.createDirectory(at, { recursive: false });
    });
  }

  async writeFiles(written: readonly FileToWrite[], under: FileRequest): Promise<FilesChanged> {
    const [{ path: thing } = { path: "" }] = written;
    for (const { path } of written) this.#at(path, under);
    await this.#admit(under.intent, { verb: "write", thing, work: "look" });
    const writing = replaceFiles(written, under, this.#place);
    this.#writes.add(writing);
    return writing.finally(() => this.#writes.delete(writing));
  }

  /**
   * Settles when nothing is being written. What waits beside its place is taken away by its own call, so
   * that what it lies in must not end before.
   */
  async written(): Promise<void> {
    await Promise.allSettled(this.#writes);
  }

  async remove(paths: readonly string[], under: FileRequest): Promise<FilesChanged> {
    const [thing = ""] = paths;
    await this.#admit(under.intent, { verb: "remove", thing, work: "look" });
    return removeFiles(paths, under, this.#place);
  }

  readFileToBuffer(path: string, under: FileRequest): Promise<Buffer | null> {
    return this.#look({ verb: "read", path, under }, async (at) => {
      try {
        return asBuffer(await this.#place.files.readFile(at, this.#onRecord(under)));
      } catch (error) {
        if (error instanceof FileError && error.code === "notFound") return null;
        throw await this.#whyUnread(error, at);
      }
    });
  }

  listDir(path: string, under: FileRequest): Promise<readonly DirEntry[]> {
    return this.#look({ verb: "list", path, under }, async (at) => {
      const entries = await this.#place.files.readDirectory(at, this.#onRecord(under));
      return entries.map(dirEntry).sort(byName);
    });
  }

  async #look<T>(
    { verb, path, under }: { verb: string; path: string; under: FileRequest },
    look: (at: AtPath) => Promise<T>,
  ): Promise<T> {
    const attempt = { verb, thing: path, work: "look" } as const;
    const at = this.#at(path, under);
    return attempting(attempt, () =>
      untilAborted(under.signal, attempt, async () => {
        await this.#admit(under.intent, attempt);
        return look(at);
      }),
    );
  }

  /** An executor tells a folder apart from other things that cannot be read only where it is asked what it is. */
  async #whyUnread(error: unknown, at: AtPath): Promise<unknown> {
    if (!(error instanceof FileError && error.code === "invalid")) return error;
    const found = await this.#place.files.getMetadata(at).catch(() => undefined);
    if (!found?.isDirectory) return error;
    return new FileError("isDirectory", "it is a folder", { cause: error });
  }

  #onRecord({ ids, kept }: FileRequest) {
    if (kept === undefined) return {};
    const { thread, session } = this.#place;
    return { record: { ids: { ...ids, thread, session }, kept } };
  }

  #at(path: string, { intent }: FileRequest): AtPath {
    const { workspace, anchor } = this.#place;
    const uri = sandboxPath(workspace, path);
    return { path: uri, links: "follow", sandbox: intent, anchor };
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A link is listed as what it leads to: the operations of executors do not tell it apart. */
function dirEntry({ fileName, isDirectory, isFile }: FolderEntry): DirEntry {
  return { name: fileName, kind: isDirectory ? "folder" : isFile ? "file" : "other" };
}

function byName(one: DirEntry, other: DirEntry): number {
  return one.name < other.name ? -1 : 1;
}
