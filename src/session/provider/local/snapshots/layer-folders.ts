/**
 * Where layers lie on this machine: a folder each, in one folder of writ's own.
 *
 * A layer is built where it will be read, since programs keep the place they were
 * installed in. It counts once it is on record; what is not, and what nobody
 * builds, was left by a dead process.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { emptyFolder } from "../../../../exec/index.ts";
import { type AbsolutePath, parseAbsolutePath } from "../../../../policy/index.ts";
import { Refusal } from "../../../refusal.ts";

const NAME = /^[0-9a-f]{16}$/;

export class LayerFolders {
  readonly #base: AbsolutePath;

  /** `home` is writ's own folder, which is hidden from every command. */
  constructor(home: AbsolutePath) {
    this.#base = parseAbsolutePath(path.join(home, "snapshots"));
  }

  /** Its place; nothing for a name that is none of ours, or one that nothing lies at. */
  async find(id: string): Promise<AbsolutePath | undefined> {
    if (!NAME.test(id)) return undefined;
    const found = await fs.lstat(this.#at(id)).catch(() => undefined);
    return found?.isDirectory() ? this.#at(id) : undefined;
  }

  async make(id: string): Promise<AbsolutePath> {
    if (!NAME.test(id)) throw cannot("make", id, "its name is none of a layer's");
    try {
      await fs.mkdir(this.#base, { mode: 0o700 }).catch(unlessThere);
      const { uid, mode } = await fs.lstat(this.#base);
      if (uid !== process.getuid?.() || (mode & 0o170022) !== 0o040000) {
        throw new Error(`"${this.#base}" is not a folder that only this user can write`);
      }
      await fs.mkdir(this.#at(id), { mode: 0o700 });
      return this.#at(id);
    } catch (cause) {
      throw cannot("make", id, cause instanceof Error ? cause.message : String(cause), cause);
    }
  }

  /** Never what a link in its place leads to. */
  async remove(id: string): Promise<void> {
    if (!NAME.test(id)) return;
    const at = this.#at(id);
    const found = await fs.lstat(at).catch(() => undefined);
    if (found === undefined) return;
    if (!found.isDirectory()) return fs.unlink(at);
    await fs.chmod(at, 0o700);
    await emptyFolder(at);
    await fs.rmdir(at);
  }

  /**
   * Removes what is not wanted, as said after a look at what is there: whoever makes a folder has
   * claimed it before. What cannot be removed now is tried again the next time.
   */
  async sweep(findWanted: () => ReadonlySet<string>): Promise<void> {
    const names = await fs.readdir(this.#base).catch(() => []);
    const wanted = findWanted();
    for (const name of names.filter((one) => NAME.test(one) && !wanted.has(one))) {
      await this.remove(name).catch(() => {});
    }
  }

  #at(id: string): AbsolutePath {
    return parseAbsolutePath(path.join(this.#base, id));
  }
}

function unlessThere(error: unknown): void {
  if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
  throw error;
}

function cannot(verb: string, id: string, what: string, cause?: unknown): Refusal {
  return new Refusal(
    "snapshotFailed",
    `Cannot ${verb} the layer "${id}": ${what}, expected a folder with room for it`,
    { cause },
  );
}
