import type { CallContext } from "../../state/read-sandbox-state.ts";

/** One call, as it comes. */
export interface ReplRequest {
  readonly input: string;
  readonly timeoutMs: number | undefined;
  readonly context: CallContext;
  readonly signal: AbortSignal;
}
