/**
 * Makes the paths that a sandbox has to cover, and takes them away again.
 *
 * A missing protected path can only be covered by a mount if it exists, so it
 * is made on the host first: exclusively, with its inode on record, shared by
 * all sandboxes that need it, and removed by whoever is the last to leave, if
 * it is still the same empty thing. The record is a folder per path:
 *
 *     <registry>/<hash>/made         what was made: path, kind, inode
 *     <registry>/<hash>/users/<id>   one file per sandbox
 *
 * Every change to the registry happens under one lock.
 */
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Placeholder } from "./launch-plan.ts";
import { identityOf, isAlive, selfIdentity } from "./process-identity.ts";
import { withLock } from "./with-lock.ts";

export interface HeldPlaceholders {
  /** Lets go of all of them; what nobody else holds is removed. */
  release(): void;
}

/** Makes what is missing and holds it. `registry` must lie where no command can write. */
export function holdPlaceholders(
  placeholders: readonly Placeholder[],
  registry: string,
): HeldPlaceholders {
  const user = `${selfIdentity()}-${randomUUID()}`;
  fs.mkdirSync(registry, { recursive: true, mode: 0o700 });
  const held: string[] = [];
  const release = () =>
    locked(registry, () => {
      for (const record of held.splice(0)) leave(record, user);
    });
  if (placeholders.length === 0) return { release: () => {} };
  try {
    locked(registry, () => {
      for (const one of placeholders) held.push(enter(one, registry, user));
    });
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

function locked<T>(registry: string, work: () => T): T {
  return withLock(path.join(registry, "..", "lock"), work);
}

/** Removes what sandboxes left behind that did not live to do it themselves. */
export function sweepPlaceholders(registry: string): void {
  if (listOf(registry).length === 0) return;
  locked(registry, () => {
    for (const name of listOf(registry)) sweep(path.join(registry, name));
  });
}

function sweep(record: string): void {
  for (const user of listOf(path.join(record, "users"))) {
    if (!isAlive(identityOf(user))) leave(record, user);
  }
  if (listOf(path.join(record, "users")).length === 0) removeMade(record);
}

function enter({ path: place, kind }: Placeholder, registry: string, user: string): string {
  const record = path.join(registry, createHash("sha256").update(place).digest("hex").slice(0, 32));
  fs.mkdirSync(path.join(record, "users"), { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(record, "users", user), "", { flag: "wx" });
  if (make(place, kind)) {
    const { dev, ino } = fs.lstatSync(place);
    writeRecord(record, { path: place, kind, dev, ino });
  }
  return record;
}

/** True when this call made it; what is there already belongs to somebody. */
function make(place: string, kind: Placeholder["kind"]): boolean {
  try {
    if (kind === "folder") fs.mkdirSync(place, { mode: 0o755 });
    else fs.closeSync(fs.openSync(place, "wx", 0o644));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function leave(record: string, user: string): void {
  fs.rmSync(path.join(record, "users", user), { force: true });
  if (listOf(path.join(record, "users")).length === 0) removeMade(record);
}

interface Made {
  readonly path: string;
  readonly kind: Placeholder["kind"];
  readonly dev: number;
  readonly ino: number;
}

function writeRecord(record: string, made: Made): void {
  const draft = path.join(record, `made-${randomUUID()}`);
  fs.writeFileSync(draft, JSON.stringify(made));
  fs.renameSync(draft, path.join(record, "made"));
}

/** Removes only the inode that was made, and only while it is empty. */
function removeMade(record: string): void {
  const made = readRecord(record);
  if (made !== undefined) {
    const now = fs.lstatSync(made.path, { throwIfNoEntry: false });
    if (now?.dev === made.dev && now.ino === made.ino) removeEmpty(made, now.size);
  }
  fs.rmSync(record, { recursive: true, force: true });
}

function removeEmpty({ path: place, kind }: Made, size: number): void {
  try {
    if (kind === "folder") fs.rmdirSync(place);
    else if (size === 0) fs.unlinkSync(place);
  } catch (error) {
    if (!["ENOTEMPTY", "ENOENT", "EBUSY"].includes(codeOf(error) ?? "")) throw error;
  }
}

function readRecord(record: string): Made | undefined {
  try {
    return JSON.parse(fs.readFileSync(path.join(record, "made"), "utf8"));
  } catch {
    return undefined;
  }
}

function listOf(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
