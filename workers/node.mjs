/**
 * The Node session of `writ repl`: one context that runs cells of JavaScript and TypeScript.
 *
 * Cells run in the main thread, through the debugger's own evaluation: it knows
 * top-level await and lets a name be declared again. An interrupt may end what
 * the main thread does at any step, so a second thread speaks the protocol
 * (node/post.mjs); this one only hands it whole messages. A thread takes as long
 * to start as Node itself, so it comes first, the rest is loaded beside it, and
 * this one speaks the protocol until it is there.
 */
import { takeDescriptors } from "./channel.mjs";
import { Post } from "./node/post-line.mjs";

/** Pipes that were made before this process, for what children print. */
const pipes = process.env.WRIT_REPL_PIPES?.split(" ").map(Number);
const post = new Post(takeDescriptors(process.env));
const { runSession } = await import("./node/session.mjs");
runSession(post, pipes);
