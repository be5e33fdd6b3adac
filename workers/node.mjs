/**
 * The Node session of `writ repl`: one context that runs cells of JavaScript and TypeScript.
 *
 * Cells run in the main thread, through the debugger's own evaluation: it knows
 * top-level await and lets a name be declared again. An interrupt may end what
 * the main thread does at any step, so a second thread speaks the protocol
 * (node/post.mjs); this one only hands it whole messages.
 */
import { takeDescriptors } from "./channel.mjs";
import { Cells } from "./node/cells.mjs";
import { fillGlobals } from "./node/globals.mjs";
import { ownOutput } from "./node/own-output.mjs";
import { Post } from "./node/post-line.mjs";
import { describe } from "./node/show.mjs";
import { createStreams } from "./node/streams.mjs";

const post = await Post.start(takeDescriptors(process.env), () => ownOutput(process.env));
const streams = createStreams(post);
const cells = new Cells(post, streams);
const reallyExit = process.reallyExit.bind(process);
let reason = "runtime_exit";

process.env.NO_COLOR ??= "1";
fillGlobals(post);

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
  cell: (cell, source) => cells.run(cell, source),
  interrupt: (cell) => cells.interrupt(cell),
  line: (text) => streams.answer(text),
  shutdown: () => {
    reason = "shutdown";
    process.exit(0);
  },
});
post.send({ type: "ready" });
