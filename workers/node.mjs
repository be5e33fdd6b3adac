/**
 * The Node session of `writ repl`: one context that runs cells of JavaScript and TypeScript.
 *
 * Cells run in the main thread, through the debugger's own evaluation: it knows
 * top-level await and lets a name be declared again. An interrupt may end what
 * the main thread does at any step, so a second thread speaks the protocol
 * (node/post.mjs); this one only hands it whole messages. A thread takes as long
 * to start as Node itself, so this one speaks the protocol until it is there.
 *
 * What runs is one file for each thread, made of these (tools/bundle-workers.mjs).
 */
import { takeDescriptors } from "./channel.mjs";
import { ownOutput } from "./node/own-output.mjs";
import { Post } from "./node/post-line.mjs";
import { runSession } from "./node/session.mjs";

/** Pipes that were made before this process, for what children print. */
const pipes = process.env.WRIT_REPL_PIPES?.split(" ").map(Number);
const descriptors = takeDescriptors(process.env);
const raw = ownOutput(process.env, pipes);
runSession(new Post(descriptors), raw);
