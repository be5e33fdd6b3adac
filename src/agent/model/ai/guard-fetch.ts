/**
 * The one way by which requests leave for a provider.
 *
 * The key is put on here and nowhere else: the SDK never has it, so that no error
 * and no log of the SDK can hold it, and it looks for none of its own.
 */

export interface FetchGuard {
  readonly header: "authorization" | "x-api-key";
  readonly key: string | undefined;
  /** What else the provider is told; never the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  readonly maxAnswerBytes: number;
}

/** An answer that is longer than anybody reads. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/** `fetch` that sends the key, follows nobody elsewhere, and reads only so much. */
export function guardFetch(guard: FetchGuard): typeof fetch {
  const { header, key, maxAnswerBytes } = guard;
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(guard.headers)) headers.set(name, value);
    headers.delete("authorization");
    headers.delete("x-api-key");
    if (key !== undefined) headers.set(header, header === "x-api-key" ? key : `Bearer ${key}`);
    const response = await fetch(urlOf(input, guard), { ...init, headers, redirect: "error" });
    if (response.body === null) return response;
    const { status, statusText } = response;
    return new Response(response.body.pipeThrough(countBytes(maxAnswerBytes)), {
      status,
      statusText,
      headers: response.headers,
    });
  };
}

function urlOf(input: Parameters<typeof fetch>[0], { queryParams }: FetchGuard): URL {
  const url = new URL(input instanceof Request ? input.url : input);
  for (const [name, value] of Object.entries(queryParams)) url.searchParams.set(name, value);
  return url;
}

function countBytes(most: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > most) controller.error(new AnswerTooLong(`it has more than ${most} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
