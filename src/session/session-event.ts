/**
 * What happens to a session, for logs and for people who watch.
 *
 * Names, codes and durations only: neither commands nor their output, paths or
 * anything that a provider said is ever in one.
 */
import type { SessionErrorCode } from "./session-error.ts";
import type { SnapshotProgress } from "./snapshots/resolve-snapshot.ts";

interface OfThread {
  readonly thread: string;
}

interface OfSandbox extends OfThread {
  readonly id: string;
  readonly generation: number;
}

export type SessionEvent =
  /** There is none at hand, and the tool `by` needs one. */
  | ({ readonly kind: "bootRequested"; readonly by: string } & OfThread)
  /** What it starts from is being waited for or built. */
  | ({ readonly kind: "snapshot"; readonly phase: SnapshotProgress["phase"] } & OfThread)
  | ({ readonly kind: "acquired" } & OfSandbox & Acquisition)
  | ({
      readonly kind: "probed";
      /** Null where it lives; what is wrong where it does not, or where nobody can say. */
      readonly problem: SessionErrorCode | null;
      readonly durationMs: number;
    } & OfSandbox)
  | ({ readonly kind: "lost"; readonly code: SessionErrorCode } & OfSandbox)
  /** Let go of: ended, or left for a later turn. */
  | ({ readonly kind: "released"; readonly isStopped: boolean } & OfSandbox);

interface Acquisition {
  readonly origin: SandboxOrigin;
  readonly durationMs: number;
}

/** `reused` is one of an earlier turn. */
export type SandboxOrigin = "fresh" | "snapshot" | "reused";

export type SessionListener = (event: SessionEvent) => void;

/** Tells a listener; what it throws is its own affair. */
export function tellListener(listener: SessionListener | undefined, event: SessionEvent): void {
  try {
    listener?.(event);
  } catch {
    // A log that fails must not take the sandbox with it.
  }
}
