/**
 * A lock between processes, as a folder: making it succeeds for exactly one.
 *
 * Held for a few file operations only, so waiting is a short sleep. A lock whose
 * owner died is taken over.
 */
import fs from "node:fs";
import path from "node:path";
import { SandboxError } from "../sandbox-error.ts";
import { identityOf, isAlive, selfIdentity } from "./process-identity.ts";

const PAUSE_MS = 2;
const ATTEMPTS = 5000;

/** Runs `work` while no other process does under the same lock. */
export function withLock<T>(lock: string, work: () => T): T {
  acquire(lock);
  try {
    return work();
  } finally {
    remove(lock);
  }
}

function acquire(lock: string): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (tryAcquire(lock)) return;
    breakIfDead(lock);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  throw new SandboxError("backendFailed", `Cannot lock "${lock}": somebody else holds it`);
}

/** The owner's name goes in before the folder gets its own, so a lock always says whose it is. */
function tryAcquire(lock: string): boolean {
  const draft = fs.mkdtempSync(`${lock}-`);
  fs.writeFileSync(path.join(draft, selfIdentity()), "");
  try {
    fs.renameSync(draft, lock);
    return true;
  } catch {
    fs.rmSync(draft, { recursive: true, force: true });
    return false;
  }
}

function breakIfDead(lock: string): void {
  const [owner] = listOf(lock);
  if (owner === undefined || isAlive(identityOf(owner))) return;
  const aside = fs.mkdtempSync(`${lock}-gone-`);
  const moved = path.join(aside, "lock");
  try {
    fs.renameSync(lock, moved);
    // Between the look and the move somebody may have taken it over: then it goes back.
    if (listOf(moved).includes(owner)) fs.rmSync(moved, { recursive: true });
    else fs.renameSync(moved, lock);
  } catch {
    // Somebody else saw it too and was faster.
  } finally {
    fs.rmSync(aside, { recursive: true, force: true });
  }
}

/** Moved aside first and whole: an empty folder in its place could be taken over while it goes. */
function remove(lock: string): void {
  const aside = fs.mkdtempSync(`${lock}-gone-`);
  fs.renameSync(lock, path.join(aside, "lock"));
  fs.rmSync(aside, { recursive: true, force: true });
}

function listOf(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
