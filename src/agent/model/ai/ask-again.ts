import { setTimeout as wait } from "node:timers/promises";

export interface Patience {
  readonly maxRetries: number;
  /** Ends the waiting between two attempts. */
  readonly signal: AbortSignal;
}

const FIRST_WAIT_MS = 2000;
/** A provider that wants to be left alone for longer is not waited for. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Asks again where the SDK says that asking again may help: before an answer began, never within one.
 *
 * A provider says how long to wait; one that does not is given twice as long each time.
 */
export async function askAgain<T>(
  attempt: () => PromiseLike<T>,
  { maxRetries, signal }: Patience,
): Promise<T> {
  for (let failed = 0; ; failed += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(failed < maxRetries) || !mayPass(error)) throw error;
      await wait(waitAfter(error) ?? FIRST_WAIT_MS * 2 ** failed, undefined, { signal });
    }
  }
}

interface Failure {
  readonly isRetryable?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

function mayPass(error: unknown): error is Failure {
  return error instanceof Error && "isRetryable" in error && error.isRetryable === true;
}

function waitAfter({ responseHeaders = {} }: Failure): number | undefined {
  const { "retry-after-ms": precise, "retry-after": after } = responseHeaders;
  const ms = [Number.parseFloat(precise ?? ""), Number.parseFloat(after ?? "") * 1000].find(
    (one) => !Number.isNaN(one),
  );
  const asked = ms ?? Date.parse(after ?? "") - Date.now();
  return asked >= 0 && asked < LONGEST_WAIT_MS ? asked : undefined;
}
