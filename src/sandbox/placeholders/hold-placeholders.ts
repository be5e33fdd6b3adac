/**
 * Makes the paths that a sandbox has to cover, and takes them away again.
 *
 * A missing protected path can only be covered by a mount if it exists, so it
 * is made on the host first: exclusively, on record before it is made, shared
 * by all sandboxes that need it, and removed by whoever is the last to leave,
 * if it is still the same empty thing. One file in `registry` says what was
 * made and who holds it; every change to it happens under a lock.
 */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Placeholder } from "../launch-plan.ts";
import {
  type HeldPath,
  readPlaceholderRegistry,
  writePlaceholderRegistry,
} from "./placeholder-registry.ts";
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
  if (placeholders.length === 0) return { release: () => {} };
  const user = `${selfIdentity()}-${randomUUID()}`;
  const release = () => change(registry, (held) => letGo(held, (one) => one === user));
  try {
    change(registry, (held) => {
      letGo(held, isGone);
      for (const one of placeholders) join(held, one, user);
      writePlaceholderRegistry(registry, held);
      for (const { path: place } of placeholders) make(held.get(place));
    });
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

/** Removes what sandboxes left behind that did not live to do it themselves. */
export function sweepPlaceholders(registry: string): void {
  if (readPlaceholderRegistry(registry).size > 0) change(registry, (held) => letGo(held, isGone));
}

function change(registry: string, work: (held: Map<string, HeldPath>) => void): void {
  fs.mkdirSync(registry, { recursive: true, mode: 0o700 });
  withLock(path.join(registry, "lock"), () => {
    const held = readPlaceholderRegistry(registry);
    try {
      work(held);
    } finally {
      // Also when the work failed half-way: what was made by then must be known.
      writePlaceholderRegistry(registry, held);
    }
  });
}

function join(held: Map<string, HeldPath>, { path: place, kind }: Placeholder, user: string): void {
  const known = held.get(place) ?? { path: place, kind, users: [], made: "unknown" };
  held.set(place, { ...known, users: [...known.users, user] });
}

/** What is there already belongs to somebody, unless the record says that one of us made it. */
function make(held: HeldPath | undefined): void {
  if (held === undefined || typeof held.made === "object") return;
  held.made = "theirs";
  try {
    if (held.kind === "folder") fs.mkdirSync(held.path, { mode: 0o755 });
    else fs.closeSync(fs.openSync(held.path, "wx", 0o644));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw error;
  }
  const { dev, ino } = fs.lstatSync(held.path);
  held.made = { dev, ino };
}

function letGo(held: Map<string, HeldPath>, leaves: (user: string) => boolean): void {
  for (const one of held.values()) {
    const users = one.users.filter((user) => !leaves(user));
    if (users.length > 0) held.set(one.path, { ...one, users });
    else {
      removeMade(one);
      held.delete(one.path);
    }
  }
}

function isGone(user: string): boolean {
  return !isAlive(identityOf(user));
}

/** Removes only the inode that was made, and only while it is empty. */
function removeMade({ path: place, kind, made }: HeldPath): void {
  if (typeof made !== "object") return;
  const now = fs.lstatSync(place, { throwIfNoEntry: false });
  if (now === undefined || now.dev !== made.dev || now.ino !== made.ino) return;
  try {
    if (kind === "folder") fs.rmdirSync(place);
    else if (now.size === 0) fs.unlinkSync(place);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!["ENOTEMPTY", "ENOENT", "EBUSY"].includes(code)) throw error;
  }
}
