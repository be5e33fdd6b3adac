/**
 * Starts a program among overlays that it alone has, with all that it starts.
 *
 * They are mounts of a namespace that nobody else is in: they end with the last
 * process there. The host, and every other process of this user, sees the folders as they are.
 */
import type { ChildProcess, StdioOptions } from "node:child_process";
import fs from "node:fs";
import type { Writable } from "node:stream";
import { spawnWhole } from "../files/lack-of-files.ts";
import { namespaceAt } from "../linux/namespace-at.ts";
import { distrustOf } from "../probe/distrust-of.ts";
import { inheritedFrom, shadowsOf } from "../run/inherited-from.ts";
import { SandboxError } from "../sandbox-error.ts";
import { findOverlays } from "./find-overlays.ts";
import type { HeldOverlay, Overlay } from "./overlay.ts";
import { OVERLAY_PROGRAMS, planOverlays } from "./plan-overlays.ts";

export interface OverlaidStart {
  readonly overlays: readonly Overlay[];
  readonly command: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** What it reads on descriptor 3. */
  readonly told: string;
}

export interface OverlaidProcess {
  /** Its input and output are pipes. */
  readonly child: ChildProcess;
  /** What it complained of first; all of it when it is over. */
  complaint(): string;
  /** Looks at the mounts of the process itself. Throws {@link SandboxError} unless they are as planned. */
  check(): HeldOverlay[];
}

/** Standard streams, and where it is told. */
const PIPES = ["pipe", "pipe", "pipe", "pipe"] as const;
const MOST_COMPLAINT = 2000;

/** Throws {@link SandboxError} where this host has not what it takes. */
export function startOverlaid({ overlays, command, env, told }: OverlaidStart): OverlaidProcess {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  refuseHost(uid);
  const [program, ...args] = planOverlays({ overlays, uid, gid, command });
  const nothing = fs.openSync("/dev/null", "r+");
  try {
    const shadows = shadowsOf(inheritedFrom(PIPES.length), PIPES.length, nothing);
    const stdio = [...PIPES, ...shadows] as StdioOptions;
    // In a session of its own: a key that interrupts a command is not meant for it.
    const child = spawnWhole(program, args, { cwd: "/", env, stdio, detached: true });
    for (const stream of child.stdio) stream?.on("error", () => {});
    (child.stdio[3] as Writable | null | undefined)?.end(told);
    const complaint = gathered(child);
    return { child, complaint, check: () => checked(child, overlays) };
  } finally {
    fs.closeSync(nothing);
  }
}

function gathered({ stderr }: ChildProcess): () => string {
  let text = "";
  stderr?.on("data", (chunk: Buffer) => {
    if (text.length < MOST_COMPLAINT) text += chunk.toString();
  });
  return () => text.slice(0, MOST_COMPLAINT).trim();
}

function checked({ pid }: ChildProcess, overlays: readonly Overlay[]): HeldOverlay[] {
  for (const kind of ["mnt", "user"]) {
    const [there, here] = [pid, "self"].map((one) => namespaceAt(`/proc/${one}/ns/${kind}`));
    if (there === undefined || there === here) throw cannot(`it has no ${kind} namespace`);
  }
  return findOverlays(overlays, fs.readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
}

function refuseHost(uid: number): void {
  if (process.platform !== "linux") throw cannot(`there are none on ${process.platform}`);
  const lacking = Object.values(OVERLAY_PROGRAMS).flatMap((one) => distrustOf(one) ?? []);
  if (lacking[0] !== undefined) throw cannot(lacking[0].detail);
  if (uid === overflowUser()) throw cannot(`user ${uid} stands for all that have no number there`);
}

/** Whom files of users belong to that a namespace has no number for; see user_namespaces(7). */
function overflowUser(): number {
  return Number(fs.readFileSync("/proc/sys/kernel/overflowuid", "utf8"));
}

function cannot(why: string): SandboxError {
  return new SandboxError("unsupportedHost", `Cannot mount overlays for a session: ${why}`);
}
