/**
 * The one way by which requests leave for a provider.
 *
 * The key is put on here and nowhere else: the SDK never has it, so that no error
 * and no log of the SDK can hold it, and it looks for none of its own.
 */
import { wholeCharacters } from "../../../rpc/index.ts";
import { AnswerEnd } from "./answer/answer-end.ts";

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
    const body = typeof init?.body === "string" ? { body: wholeCharacters(init.body) } : {};
    const sent = { ...init, ...body, headers, redirect: "error" } as const;
    const response = await fetch(urlOf(input, guard), sent);
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

/**
 * Read on demand and without a transform between, which would cost more than the count. It ends with
 * the answer: what becomes of the connection then makes it no less whole.
 */
function boundedBody(body: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const answer = new AnswerEnd();
  let seen = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      seen += value.byteLength;
      if (seen > most) {
        await reader.cancel();
        return controller.error(new AnswerTooLong(`it has more than ${most} bytes`));
      }
      const end = answer.take(value);
      controller.enqueue(end === undefined ? value : value.subarray(0, end));
      if (end === undefined) return;
      controller.close();
      void leave(reader);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const LEAVE_MS = 1000;

/** Who reads to the end keeps the connection for the next question; but nobody waits long for it. */
async function leave(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const late = setTimeout(() => void reader.cancel().catch(() => {}), LEAVE_MS).unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // It was read.
  } finally {
    clearTimeout(late);
  }
}
