/** A request without an answer to go by: it was lost, or the service failed on it. */
export class NoAnswer extends Error {
  /** The SDK sends a request again whatever came of it, unless the error has this name. */
  override readonly name = "AbortError";
  /** Null where nothing came back at all. */
  readonly status: number | null;

  constructor(status: number | null, options?: ErrorOptions) {
    super("the service gave no answer that can be used", options);
    this.status = status;
  }
}

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * A fetch that sends each request once.
 *
 * The SDK would send it again on a lost connection, on 429 and on 5xx. A command
 * that was begun before its answer was lost would then run twice.
 */
export function sentOnce(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (url, request) => {
    const response = await fetch(url, request).catch((cause: unknown) => {
      throw new NoAnswer(null, { cause });
    });
    const { status } = response;
    if (status !== TOO_MANY_REQUESTS && status < SERVER_ERROR) return response;
    // One that broke off within its text cannot be cancelled, and is no answer all the same.
    await response.body?.cancel().catch(() => {});
    throw new NoAnswer(status);
  };
}
