import { HttpFailure } from "./http-failure.ts";

const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
const MAX_PART_BYTES = 1024 * 1024;

/** All of a body, as long as it fits in one answer. */
export async function wholeBody(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const part of bodyParts(source)) {
    length += part.length;
    if (length > MAX_BUFFERED_BYTES) {
      const limit = `it is longer than ${MAX_BUFFERED_BYTES} bytes`;
      throw new HttpFailure(`Cannot answer with the body: ${limit}, expected streamResponse`);
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks, length);
}

/** A body as it comes, in parts that one message carries. Nothing is read while nobody asks. */
export async function* bodyParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += MAX_PART_BYTES) {
      yield chunk.subarray(at, at + MAX_PART_BYTES);
    }
  }
}
