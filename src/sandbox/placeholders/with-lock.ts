/**
 * A lock between processes, as a link to a file that names its owner.
 *
 * Making the link succeeds for exactly one. The lock of an owner that died is
 * taken away by exactly one other: whoever makes the link named after that very
 * acquisition. Held for a few file operations only, so waiting is a short sleep.
 */
import fs from "node:fs";
import path from "node:path";
import { SandboxError } from "../sandbox-error.ts";
import { newName } from "./new-name.ts";
import { identityIn, livingPid, type ProcessIdentity } from "./process-identity.ts";

const PAUSE_MS = 1;
const ATTEMPTS = 10_000;

/** Runs `work` while no other process does under the same lock. */
export function withLock<T>(lock: string, work: () => T, attempts = ATTEMPTS): T {
  const token = newName();
  const own = `${lock}-${token}`;
  try {
    fs.writeFileSync(own, token);
    if (!acquire(lock, own, attempts)) throw isHeld(lock);
    try {
      return work();
    } finally {
      fs.unlinkSync(lock);
    }
  } finally {
    // Also what a full disk took the name of and nothing else.
    fs.rmSync(own, { force: true });
  }
}

/** Removes what somebody laid out to take a lock with, or to break it, and did not live to take away. */
export function forgetLock(file: string): void {
  const name = path.basename(file);
  // The right to break a lock is named after whose lock it was; in it stands whose right it is.
  const owner = name.startsWith("lock-broken-") ? textOf(file) : /^lock-(\d.+)$/.exec(name)?.[1];
  if (owner === undefined || livingPid(identityIn(owner)) !== undefined) return;
  fs.rmSync(file, { force: true });
}

function acquire(lock: string, own: string, attempts: number): boolean {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (tryLink(own, lock)) return true;
    breakIfDead(lock, lock, own);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return false;
}

/** Held for so long, it needs somebody who looks at the holder. */
function isHeld(lock: string): SandboxError {
  const owner = identityIn(textOf(lock) ?? "");
  const who = owner === "" ? "somebody else" : sayProcess(owner);
  const what = `${who} holds it, expected it free. Let that go on or end it; where it is over, remove the file`;
  return new SandboxError("backendFailed", `Cannot lock "${lock}": ${what}`);
}

function sayProcess(one: ProcessIdentity): string {
  const isElsewhere = livingPid(one) === "elsewhere";
  return `process ${Number.parseInt(one, 10)}${isElsewhere ? " of another pid namespace, as of a container," : ""}`;
}

/** The right to break the lock of a dead owner is a lock of its own, which may have to be broken too. */
function breakIfDead(held: string, lock: string, own: string): void {
  const owner = textOf(held);
  if (owner === undefined || livingPid(identityIn(owner)) !== undefined) return;
  const right = `${lock}-broken-${owner}`;
  if (!tryLink(own, right)) {
    breakIfDead(right, lock, own);
    return;
  }
  // Nobody else can have taken this acquisition away, and its owner cannot either.
  if (textOf(held) === owner) fs.unlinkSync(held);
  fs.rmSync(`${lock}-${owner}`, { force: true });
  fs.unlinkSync(right);
}

function tryLink(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function textOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
