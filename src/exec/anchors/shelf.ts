/**
 * The shelf of one anchor: files that its owner puts there and its commands only read.
 *
 * Nobody else writes there, so all that lies on it is known here, and there is
 * an end to how much may. Each file is replaced as a whole.
 */
import fs from "node:fs/promises";
import path from "node:path";
import type { AbsolutePath } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";
import { emptyFolder } from "./empty-folder.ts";
import type { ShelfChange, ShelvedFile } from "./shelf-change.ts";

const MOST_FILES = 20_000;
const MOST_BYTES = 512 << 20;
const MOST_DEPTH = 16;
const MOST_NAME = 255;
const FOLDER_MODE = 0o700;

export class Shelf {
  readonly #folder: AbsolutePath;
  /** What lies there, by path, and how big it is. */
  readonly #sizes = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: AbsolutePath) {
    this.#folder = folder;
  }

  /** One change after the other. Throws {@link ExecError}; what was done until then stays. */
  change(change: ShelfChange): Promise<void> {
    const done = this.#last.then(() => this.#change(change));
    this.#last = done.catch(() => {});
    return done;
  }

  async #change({ isEmptied, remove, write }: ShelfChange): Promise<void> {
    for (const one of [...remove, ...write.map((file) => file.path)]) refusePath(one);
    this.#refuseMuch({ isEmptied, remove, write });
    try {
      if (isEmptied) await this.#empty();
      for (const one of remove) await this.#remove(one);
      for (const file of write) await this.#write(file);
    } catch (cause) {
      if (cause instanceof ExecError) throw cause;
      const what = cause instanceof Error ? cause.message : String(cause);
      throw new ExecError("unenforceable", `Cannot change the shelf: ${what}`, { cause });
    }
  }

  #refuseMuch({ isEmptied, remove, write }: ShelfChange): void {
    const sizes = new Map(isEmptied ? [] : this.#sizes);
    for (const one of remove) sizes.delete(one);
    for (const { path: at, content } of write) sizes.set(at, content.length);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (sizes.size <= MOST_FILES && bytes <= MOST_BYTES) return;
    const most = `${MOST_FILES} files and ${MOST_BYTES} bytes`;
    throw refusal(`it would hold ${sizes.size} files and ${bytes} bytes, expected at most ${most}`);
  }

  async #empty(): Promise<void> {
    this.#sizes.clear();
    await emptyFolder(this.#folder);
  }

  /** With the folders above it that are empty then. */
  async #remove(one: string): Promise<void> {
    this.#sizes.delete(one);
    await fs.rm(path.join(this.#folder, one), { force: true });
    for (let at = path.posix.dirname(one); at !== "."; at = path.posix.dirname(at)) {
      const isGone = await fs.rmdir(path.join(this.#folder, at)).then(
        () => true,
        () => false,
      );
      if (!isGone) return;
    }
  }

  async #write({ path: one, content, isExecutable }: ShelvedFile): Promise<void> {
    const place = path.join(this.#folder, one);
    await fs.mkdir(path.dirname(place), { recursive: true, mode: FOLDER_MODE });
    const waiting = path.join(this.#folder, `.writ-${process.pid}`);
    await fs.rm(waiting, { force: true });
    await fs.writeFile(waiting, content, { flag: "wx", mode: isExecutable ? 0o500 : 0o400 });
    this.#sizes.set(one, content.length);
    await fs.rename(waiting, place);
  }
}

function refusePath(one: string): void {
  const names = one.split("/");
  const isPlain = names.every(
    (name) => name !== "" && name !== "." && name !== ".." && Buffer.byteLength(name) <= MOST_NAME,
  );
  if (isPlain && names.length <= MOST_DEPTH && !one.includes("\0") && one.isWellFormed()) return;
  throw refusal(`${JSON.stringify(one.slice(0, MOST_NAME))} is no path in it, expected one`);
}

function refusal(what: string): ExecError {
  return new ExecError("invalidRequest", `Cannot change the shelf: ${what}`, { field: "write" });
}
