/**
 * Looks through a layer before anybody may start from it.
 *
 * What built it was the code of strangers. A link that leaves the layer would
 * lead a later command, or whoever removes the layer, to a place that nobody
 * named; a device or a pipe is nothing that a package has.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { type AbsolutePath, isWithin, parseAbsolutePath } from "../../../../policy/index.ts";
import { BuildError } from "./build-error.ts";

export interface CheckedLayer {
  readonly bytes: number;
  readonly entries: number;
}

const SET_ID_BITS = 0o6000;
/** Of `blocks` in a stat, whatever the disk has. */
const BLOCK_BYTES = 512;
/** Enough for the largest trees that packages make, and an end for one that has none. */
const MOST_ENTRIES = 2_000_000;

/** Counts what is in it. Throws {@link BuildError} for what may not be. Nothing may run in it any more. */
export async function checkLayer(layer: AbsolutePath): Promise<CheckedLayer> {
  const look = new LayerLook(await fs.realpath(layer));
  await look.folder(layer);
  look.refuseLinkedAway();
  return { bytes: look.bytes, entries: look.entries };
}

class LayerLook {
  bytes = 0;
  entries = 0;
  readonly #real: string;
  /** Files with several names: how many of them were not met yet. */
  readonly #unmet = new Map<number, { readonly at: string; left: number }>();

  constructor(real: string) {
    this.#real = real;
  }

  async folder(top: string): Promise<void> {
    const waiting = [top];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const name of await namesIn(next)) {
        const at = path.join(next, name);
        if (await this.#entry(at)) waiting.push(at);
      }
    }
  }

  /** A hard link is another name of a file; one that is not in the layer can be changed from outside. */
  refuseLinkedAway(): void {
    const [found] = [...this.#unmet.values()].filter(({ left }) => left > 0);
    if (found !== undefined) throw unfit(found.at, "it has another name outside the layer");
  }

  /** True for a folder. */
  async #entry(at: string): Promise<boolean> {
    this.entries += 1;
    if (this.entries > MOST_ENTRIES) throw unfit(at, `there are more than ${MOST_ENTRIES} of them`);
    const found = await fs.lstat(at).catch((cause: unknown) => {
      throw unfit(at, "it cannot be looked at", cause);
    });
    if (found.isSymbolicLink()) await this.#link(at);
    else if (!found.isDirectory() && !found.isFile()) {
      throw unfit(at, "it is no file, folder or link");
    } else if ((found.mode & SET_ID_BITS) !== 0) {
      throw unfit(at, "it runs as another user or group");
    }
    if (found.isFile()) this.#file(at, found);
    return found.isDirectory();
  }

  /** The size of a file may be more than any disk has: what counts is the room that it takes. */
  #file(at: string, { blocks, nlink, ino }: { blocks: number; nlink: number; ino: number }): void {
    const unmet = this.#unmet.get(ino) ?? { at, left: nlink };
    if (unmet.left === nlink) this.bytes += blocks * BLOCK_BYTES;
    unmet.left -= 1;
    if (nlink > 1) this.#unmet.set(ino, unmet);
  }

  /** Where it leads, not what it says: `..` behind another link goes elsewhere than it looks. */
  async #link(at: string): Promise<void> {
    const target = await fs.readlink(at);
    if (path.isAbsolute(target)) throw unfit(at, "it is a link to an absolute path");
    const real = await fs.realpath(at).catch(() => undefined);
    if (real === undefined) throw unfit(at, "it is a link that leads nowhere");
    if (!isWithin(parseAbsolutePath(real), parseAbsolutePath(this.#real))) {
      throw unfit(at, "it is a link that leaves the layer");
    }
  }
}

/** Exact ones only: what stands for a name that is no UTF-8 may be the name of something else. */
async function namesIn(folder: string): Promise<string[]> {
  const found = await fs.readdir(folder, { encoding: "buffer" }).catch((cause: unknown) => {
    throw unfit(folder, "it cannot be read", cause);
  });
  return found.map((bytes) => {
    const name = bytes.toString();
    if (Buffer.from(name).equals(bytes)) return name;
    throw unfit(path.join(folder, name), "its name is no UTF-8");
  });
}

/** Strangers chose the names: they are not for a sentence that a model reads. */
function unfit(at: string, what: string, cause?: unknown): BuildError {
  return new BuildError(
    `something in the layer is not fit: ${what}, expected files, folders and links that stay inside`,
    JSON.stringify(at.slice(-200)),
    { cause },
  );
}
