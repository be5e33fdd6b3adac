/**
 * The output bundles of a server, in a folder that nothing sandboxed may write to.
 *
 * The oldest go first when there are too many or they are too big; one that is
 * still written to never goes. All go with the server.
 */
import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../../../exec/index.ts";
import { Bundle, type WriteBytes } from "./bundle.ts";

export interface BundleLimits {
  readonly maxCount: number;
  readonly maxBundleBytes: number;
  readonly maxTotalBytes: number;
}

export interface BundlesOptions extends BundleLimits {
  /** Made when the first bundle is. */
  readonly folder: string;
  readonly write?: WriteBytes;
}

export const DEFAULT_BUNDLE_LIMITS: BundleLimits = {
  maxCount: 20,
  maxBundleBytes: 2 ** 30,
  maxTotalBytes: 2 ** 31,
};

interface Entry {
  readonly folder: string;
  bytes: number;
  isActive: boolean;
}

export class Bundles {
  readonly #options: BundlesOptions;
  /** Oldest first. */
  #entries: Entry[] = [];
  readonly #active = new Map<Bundle, Entry>();
  #made = 0;

  constructor(options: BundlesOptions) {
    this.#options = options;
  }

  /** A new bundle, in use until it is released; `undefined` if there can be none. */
  create(): Bundle | undefined {
    if (this.#entries.length >= this.#options.maxCount && !this.#prune()) return undefined;
    const folder = this.#makeFolder();
    if (folder === undefined) return undefined;
    const entry: Entry = { folder, bytes: 0, isActive: true };
    this.#entries.push(entry);
    const bundle = new Bundle(folder, this.#quotaOf(entry), this.#options.write);
    this.#active.set(bundle, entry);
    return bundle;
  }

  /** Ends a bundle. Its files stay until they are pruned. */
  release(bundle: Bundle): void {
    bundle.close();
    const entry = this.#active.get(bundle);
    if (entry) entry.isActive = false;
    this.#active.delete(bundle);
  }

  /** Removes every bundle, and the folder if nothing else is in it. */
  removeAll(): void {
    for (const bundle of [...this.#active.keys()]) this.release(bundle);
    while (this.#prune());
    try {
      rmdirSync(this.#options.folder);
    } catch {
      // It was never made, or it is not ours alone.
    }
  }

  #makeFolder(): string | undefined {
    this.#made += 1;
    const name = `output-${String(this.#made).padStart(4, "0")}`;
    const folder = path.join(this.#options.folder, name);
    try {
      makeFolder(this.#options.folder);
      mkdirSync(folder, { mode: 0o700 });
      return folder;
    } catch {
      return undefined;
    }
  }

  #quotaOf(entry: Entry) {
    const { maxBundleBytes, maxTotalBytes } = this.#options;
    return {
      take: (bytes: number) => {
        const wanted = Math.min(bytes, maxBundleBytes - entry.bytes);
        while (this.#totalBytes() + wanted > maxTotalBytes && this.#prune());
        const granted = Math.max(0, Math.min(wanted, maxTotalBytes - this.#totalBytes()));
        entry.bytes += granted;
        return granted;
      },
      giveBack: (bytes: number) => {
        entry.bytes -= bytes;
      },
    };
  }

  #totalBytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Removes the oldest bundle that is not in use. */
  #prune(): boolean {
    const oldest = this.#entries.find(({ isActive }) => !isActive);
    if (!oldest) return false;
    this.#entries = this.#entries.filter((entry) => entry !== oldest);
    try {
      rmSync(oldest.folder, { recursive: true, force: true });
    } catch {
      // Nothing more can be done about it; it no longer counts.
    }
    return true;
  }
}
