/**
 * `fetch` that reads only so much of an answer, and of a stream of events only so much between two of them.
 *
 * Whoever reads an answer of MCP puts all of it together first, and a server elsewhere could go on for as long as
 * there is room.
 */

export function boundedFetch(mostBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { headers } = response;
    const isEvents = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
    const unread = isEvents ? sinceBlankLine() : inAll();
    const body = bounded(response.body, mostBytes, unread);
    return withFacts(new Response(body, { headers }), response);
  };
}

const FACTS = ["ok", "redirected", "status", "statusText", "type", "url"] as const;

/** A response that is made takes fewer statuses, and fewer words about them, than one that came may have. */
function withFacts(made: Response, came: Response): Response {
  for (const name of FACTS) Object.defineProperty(made, name, { value: came[name] });
  return made;
}

/** How many bytes have to be held to read what has come, with this chunk. */
type Unread = (chunk: Uint8Array) => number;

function inAll(): Unread {
  let seen = 0;
  return ({ length }) => {
    seen += length;
    return seen;
  };
}

/** One of them is in every blank line, whichever ends this one and the line before have. */
const BLANK_LINES = ["\n\n", "\r\r", "\n\r"];
const BLANK = 2;

/** A blank line ends an event; it may come in pieces. */
function sinceBlankLine(): Unread {
  let held = 0;
  let last: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const text = Buffer.concat([last, chunk]);
    const end = Math.max(...BLANK_LINES.map((blank) => endOfLast(text, blank)));
    held = end === -1 ? held + chunk.length : text.length - end;
    last = text.subarray(Math.max(end, text.length - BLANK + 1, 0));
    return held;
  };
}

function endOfLast(text: Buffer, blank: string): number {
  const found = text.lastIndexOf(blank);
  return found === -1 ? -1 : found + BLANK;
}

function bounded(
  body: ReadableStream<Uint8Array>,
  most: number,
  unread: Unread,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if (unread(value) <= most) return controller.enqueue(value);
      await reader.cancel();
      controller.error(new Error(`it has more than ${most} bytes, expected fewer`));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
