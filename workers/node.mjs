/**
 * The Node session of `writ repl`: one context that runs cells of JavaScript and TypeScript.
 *
 * Cells run in the main thread, through the debugger's own evaluation: it knows
 * top-level await and lets a name be declared again. An interrupt may end what
 * the main thread does at any step, so a second thread speaks the protocol
 * (node/post.mjs); this one only hands it whole messages. A thread takes as long
 * to start as Node itself, so it comes first, and the rest is loaded beside it.
 */
import { takeDescriptors } from "./channel.mjs";
import { Post } from "./node/post-line.mjs";

const post = new Post(takeDescriptors(process.env));
const { runSession } = await import("./node/session.mjs");
await runSession(post);
