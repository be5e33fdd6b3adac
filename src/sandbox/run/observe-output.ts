import { type Readable, Transform } from "node:stream";

/** Passes a stream on as it is and shows every chunk to `see` on the way, at the reader's pace. */
export function observeOutput(stream: Readable, see: (chunk: Buffer) => void): Readable {
  const passed = new Transform({
    transform(chunk: Buffer, _, next) {
      see(chunk);
      next(null, chunk);
    },
  });
  // What a terminal says when its other side has gone is the end, not a failure.
  stream.on("error", () => passed.end());
  // A reader that has left is passed on as well, so that whoever prints gets to know.
  passed.on("close", () => stream.destroy());
  return stream.pipe(passed);
}
