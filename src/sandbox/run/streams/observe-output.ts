import { type Readable, Transform } from "node:stream";

/**
 * Passes a stream on as it is and shows every chunk to `see` on the way, at the reader's pace.
 * What `see` says no to is left out.
 */
export function observeOutput(stream: Readable, see: (chunk: Buffer) => boolean): Readable {
  const passed = new Transform({
    transform(chunk: Buffer, _, next) {
      if (see(chunk)) next(null, chunk);
      else next();
    },
  });
  // What a terminal says when its other side has gone is the end, not a failure.
  stream.on("error", () => passed.end());
  // A reader that has left is passed on as well, so that whoever prints gets to know.
  passed.on("close", () => stream.destroy());
  return stream.pipe(passed);
}
