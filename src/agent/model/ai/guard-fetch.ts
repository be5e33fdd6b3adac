/**
 * The one way by which requests leave for a provider.
 *
 * The key is put on here and nowhere else: the SDK never has it, so that no error
 * and no log of the SDK can hold it, and it looks for none of its own.
 */

export interface FetchGuard {
  readonly header: "authorization" | "x-api-key";
  readonly key: string | undefined;
  readonly maxAnswerBytes: number;
}

/** An answer that is longer than anybody reads. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/** `fetch` that sends the key, follows nobody elsewhere, and reads only so much. */
export function guardFetch({ header, key, maxAnswerBytes }: FetchGuard): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    headers.delete("x-api-key");
    if (key !== undefined) headers.set(header, header === "x-api-key" ? key : `Bearer ${key}`);
    const response = await fetch(input, { ...init, headers, redirect: "error" });
    if (response.body === null) return response;
    const { status, statusText } = response;
    return new Response(response.body.pipeThrough(countBytes(maxAnswerBytes)), {
      status,
      statusText,
      headers: response.headers,
    });
  };
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
