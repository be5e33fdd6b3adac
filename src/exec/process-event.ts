export type OutputStream = "stdout" | "stderr" | "pty";

/** One thing that happened to a process. Numbers start at 1 and have no gap. */
export type ProcessEvent =
  | {
      readonly kind: "output";
      readonly seq: number;
      readonly stream: OutputStream;
      readonly chunk: Uint8Array;
    }
  | { readonly kind: "exited"; readonly seq: number; readonly exit: ProcessExit }
  /** Nothing follows: it has ended and all it printed was seen. */
  | { readonly kind: "closed"; readonly seq: number };

export interface ProcessExit {
  /** 128 + n after signal n. */
  readonly exitCode: number;
  /** Whether the sandbox probably made it fail; inferred from what it printed. */
  readonly sandboxDenied: boolean;
}

/** What confines a process, in the words of the wire. */
export type SandboxType = "none" | "macosSeatbelt" | "linuxSeccomp" | "windowsRestrictedToken";

/** What an event costs beside its bytes: one of a byte takes far more room than that. */
const LEAST_BYTES = 256;

/** How much room an event takes while it waits for its reader. */
export function bytesOf(
  event: Extract<ProcessEvent, { kind: "output" }> | { readonly kind: "exited" | "closed" },
): number {
  return event.kind === "output" ? Math.max(event.chunk.length, LEAST_BYTES) : 0;
}
