/**
 * Makes the paths that a sandbox has to cover, and takes them away again.
 *
 * A missing protected path can only be covered by a mount if it exists, so it
 * is made on the host first, shared by all sandboxes that need it, and removed
 * by whoever is the last to leave. Sandboxes of one process share by counting;
 * processes share by the record.
 */
import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";
import type { Placeholder } from "../launch-plan.ts";
import { HeldRecord, isGone } from "./held-record.ts";
import { newName } from "./new-name.ts";
import { endSurvivors, forgetRun } from "./record-run.ts";
import { keepingRecords, openRecords } from "./records-folder.ts";

export interface HeldPlaceholders {
  /** What this run is called in the records. */
  readonly run: string;
  /** Lets go of all of them; what nobody else holds is removed. */
  release(): void;
}

const holders = new Map<AbsolutePath, Holder>();

/** Makes what is missing and holds it, after removing what dead runs left. */
export function holdPlaceholders(
  placeholders: readonly Placeholder[],
  folder: AbsolutePath,
): HeldPlaceholders {
  openRecords(folder);
  const holder = holders.get(folder) ?? new Holder(folder);
  holders.set(folder, holder);
  const run = newName();
  keepingRecords(folder, () => holder.take(placeholders));
  return {
    run,
    release() {
      holder.give(placeholders);
      forgetRun(folder, run);
    },
  };
}

/** What the sandboxes of this process hold. */
class Holder {
  readonly #folder: AbsolutePath;
  readonly #user = newName();
  readonly #counts = new Map<AbsolutePath, number>();
  #swept = false;

  constructor(folder: AbsolutePath) {
    this.#folder = folder;
  }

  take(placeholders: readonly Placeholder[]): void {
    const fresh = placeholders.filter(({ path }) => !this.#counts.has(path) || isMissing(path));
    if (fresh.length > 0 || !this.#swept) this.#hold(fresh);
    for (const { path } of placeholders) this.#counts.set(path, this.#countOf(path) + 1);
  }

  give(placeholders: readonly Placeholder[]): void {
    const last = new Set<string>();
    for (const { path } of placeholders) {
      const count = this.#countOf(path) - 1;
      if (count > 0) this.#counts.set(path, count);
      else if (this.#counts.delete(path)) last.add(path);
    }
    if (last.size > 0) this.#letGo(last);
  }

  #hold(fresh: readonly Placeholder[]): void {
    try {
      new HeldRecord(this.#folder).change((record) => {
        endSurvivors(this.#folder);
        record.letGo(isGone);
        record.hold(fresh, this.#user);
      });
      this.#swept = true;
    } catch (error) {
      const held = fresh.filter(({ path }) => !this.#counts.has(path));
      this.#letGo(new Set(held.map(({ path }) => path)));
      throw error;
    }
  }

  #letGo(paths: ReadonlySet<string>): void {
    new HeldRecord(this.#folder).change((record) =>
      record.letGo((user, path) => user === this.#user && paths.has(path)),
    );
  }

  #countOf(path: AbsolutePath): number {
    return this.#counts.get(path) ?? 0;
  }
}

function isMissing(path: AbsolutePath): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
