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
    return new Response(boundedBody(response.body, maxAnswerBytes), {
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

/** Read on demand and without a transform between, which would cost more than the count. */
function boundedBody(body: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let seen = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      seen += value.byteLength;
      if (seen <= most) return controller.enqueue(value);
      await reader.cancel();
      controller.error(new AnswerTooLong(`it has more than ${most} bytes`));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
