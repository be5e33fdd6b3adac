/**
 * Runs a program for a probe: briefly, with nothing of our environment, and
 * without ever waiting for one that hangs. Decides nothing.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface BoundedRun {
  readonly status: number | undefined;
  readonly stdout: string;
  /** The first line of what went wrong, or that the time was up. */
  readonly failure: string;
}

export interface RunBounds {
  /** Bytes for descriptor 3. */
  readonly input?: Uint8Array;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5000;
const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** Settles when the program has ended or its time is up, whichever comes first. */
export function runBounded(
  [program, ...args]: readonly [string, ...string[]],
  { input, timeoutMs = TIMEOUT_MS }: RunBounds = {},
): Promise<BoundedRun> {
  const child = spawn(program, args, {
    cwd: "/",
    env: ENVIRONMENT,
    // A group of its own, so that what it started ends with it.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", ...(input === undefined ? [] : ["pipe" as const])],
  });
  if (input !== undefined) send(child, input);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  return new Promise((resolve) => {
    const end = (status: number | null, failure: string) => {
      clearTimeout(timer);
      resolve({ status: status ?? undefined, stdout: stdout(), failure });
    };
    const timer = setTimeout(() => {
      abandon(child);
      end(null, `no answer in ${timeoutMs / 1000} s`);
    }, timeoutMs);
    child.once("error", (error) => end(null, error.message));
    child.once("close", (status, signal) =>
      end(
        status,
        firstLine(stderr()) || (status === null ? `ended by ${signal}` : `exit status ${status}`),
      ),
    );
  });
}

/** A program that fails early closes the descriptor; its status tells. */
function send(child: ChildProcess, input: Uint8Array): void {
  // One that was not started for want of descriptors has no streams.
  const stream = (child.stdio as ChildProcess["stdio"] | undefined)?.[3] as Writable | undefined;
  stream?.on("error", () => {});
  stream?.end(input);
}

function collect(stream: Readable | null): () => string {
  let text = "";
  stream?.on("data", (chunk) => {
    text += String(chunk);
  });
  return () => text;
}

function abandon(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
  // What even SIGKILL does not end must not keep us alive.
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").replace(/^(bwrap|unshare): /, "");
}
