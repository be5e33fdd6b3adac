/** What a reply says about the session rather than about its output. */

export type SessionStatus =
  | { readonly kind: "idle" }
  | { readonly kind: "waiting" }
  /** Still at work when the time of the call was over. */
  | { readonly kind: "busy"; readonly elapsedMs: number };

/** The line a reply carries for a status. Elapsed time is told in steps, so that it says no more than is known. */
export function statusLine(status: SessionStatus): string {
  return `<<repl status: ${wordsOf(status)}>>`;
}

function wordsOf(status: SessionStatus): string {
  switch (status.kind) {
    case "idle":
      return "idle";
    case "waiting":
      return "waiting for input";
    case "busy":
      return `busy, write_stdin timeout reached; elapsed_ms=${Math.floor(status.elapsedMs / 100) * 100}`;
  }
}
