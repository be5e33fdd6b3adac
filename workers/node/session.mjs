/** The main thread of a session, from its first cell to its exit. */
import process from "node:process";
import { Cells } from "./cells.mjs";
import { fillGlobals } from "./globals.mjs";
import { describe } from "./show.mjs";
import { FIRST_CELL } from "./slots.mjs";
import { createStreams } from "./streams.mjs";

/** A cell may put a mock in its place. */
const later = globalThis.setImmediate;

/** Takes cells from now on; `raw` is what children print to. */
export function runSession(post, raw) {
  const streams = createStreams(post);
  const cells = new Cells(post, streams);
  let reason = "runtime_exit";

  process.env.NO_COLOR ??= "1";
  fillGlobals(post);

  const reallyExit = process.reallyExit.bind(process);
  process.reallyExit = (code) => {
    cells.close();
    const status = (code ?? 0) & 255;
    post.send({ type: "session_end", reason, message: `exit ${status}` });
    post.flush();
    reallyExit(status);
  };
  // Only there so that the signal does not end the process; what it ends is up to `Cells`.
  process.on("SIGINT", () => {});
  process.on("uncaughtException", (error) => process.stderr.write(describe(error)));
  process.on("unhandledRejection", (error) => process.stderr.write(describe(error)));

  post.listen({
    cell: (cell, source) => {
      cells.take(cell);
      cells.run(cell, source);
    },
    interrupt: (cell) => cells.interrupt(cell),
    line: (text) => streams.answer(text),
    shutdown,
  });
  // Before the other thread hears of it, and may bring an interrupt of it before it runs.
  cells.take(FIRST_CELL);
  const first = post.begin(raw);
  if (first === undefined) shutdown();
  else later(() => cells.run(FIRST_CELL, first));

  function shutdown() {
    reason = "shutdown";
    process.exit(0);
  }
}
