/**
 * The thread that speaks the protocol: it writes while the main thread is busy and hears an
 * interrupt when the main thread cannot.
 */
import { Session } from "node:inspector";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createReceiver, createSender, drain } from "../channel.mjs";
import { cellOf } from "./hear-first.mjs";
import { FIRST_CELL, SLOT } from "./slots.mjs";

/** How long the main thread has to hear of an interrupt before what it runs is ended. */
const HEAR_MS = 30;
/** How long it has once that was ended: until then it is on its way to hear, and may have to wait for a processor. */
const HEAR_AGAIN_MS = 1000;

const { descriptors, state, answers } = workerData;
const { send, text } = createSender(descriptors.output);
/** The cell that runs; 0 between cells. */
let running = FIRST_CELL;
/** The last cell that was interrupted. */
let interrupted = 0;
let cells = FIRST_CELL;
let asked;
let lines = [];
const queue = [];
let isOver = false;
let raw = [];

function show(stream, bytes) {
  if (!isOver) text(stream, bytes);
}

function drainRaw() {
  for (const { fd, stream } of raw) drain(fd, (bytes) => show(stream, bytes));
}

function give(line) {
  const { prompt, blocks } = asked;
  asked = undefined;
  send({ type: "input_line", prompt, text: line });
  if (!blocks) return parentPort.postMessage({ line });
  answers.postMessage(line);
  Atomics.add(state, SLOT.answers, 1);
  Atomics.notify(state, SLOT.answers);
}

function ask(question) {
  asked = question;
  const line = lines.shift();
  if (line !== undefined) return give(line);
  drainRaw();
  send({ type: "input_wait", prompt: question.prompt });
}

/** Takes what the main thread has handed over; texts that follow each other become one. */
function takeAll() {
  const batch = queue.splice(0);
  drainRaw();
  while (batch.length > 0) {
    const { stream } = batch[0];
    const end = batch.findIndex((one) => one.stream !== stream || one.chunk === undefined);
    const texts = batch.splice(0, end === -1 ? batch.length : end);
    if (texts.length > 0) show(stream, Buffer.concat(texts.map(({ chunk }) => Buffer.from(chunk))));
    const last = batch[0]?.chunk !== undefined ? texts.at(-1) : (batch.shift() ?? texts.at(-1));
    if (last.ask) ask(last.ask);
    if (last.message) say(last.message);
    Atomics.store(state, SLOT.done, last.number);
    Atomics.notify(state, SLOT.done);
  }
}

function say(message) {
  if (message.type === "ready") {
    running = 0;
    asked = undefined;
    lines = [];
  }
  send(message);
  // Its last word, whatever is still in the pipes.
  if (message.type === "session_end") isOver = true;
}

function takeBatch(input) {
  const source = cellOf(input);
  if (asked) {
    lines.push(
      ...(source.endsWith("\n") ? source.slice(0, -1) : source)
        .split("\n")
        .map((line) => `${line}\n`),
    );
    give(lines.shift());
  } else {
    running = ++cells;
    parentPort.postMessage({ cell: running, source });
  }
}

/** Tells the main thread; ends what it runs for as long as it does not hear. */
async function interrupt() {
  lines = [];
  asked = undefined;
  const cell = running;
  if (cell <= interrupted) return;
  interrupted = cell;
  const isUnheard = () => running === cell && Atomics.load(state, SLOT.heard) < cell;
  for (let patience = HEAR_MS; isUnheard(); ) {
    parentPort.postMessage({ interrupt: cell });
    await sleep(patience);
    if (await terminate(isUnheard)) patience = HEAR_AGAIN_MS;
  }
}

/**
 * Ends what the main thread runs, if that is wanted still and not the worker's own; tells whether it did.
 *
 * Connected no longer than it takes: a process with a debugger waits for it when it exits.
 */
async function terminate(isWanted) {
  if (!isWanted()) return false;
  const debug = new Session();
  debug.connectToMainThread();
  // To connect takes longer than many a cell.
  const isMeant = isWanted() && Atomics.load(state, SLOT.isOwn) === 0;
  if (isMeant) await new Promise((resolve) => debug.post("Runtime.terminateExecution", resolve));
  debug.disconnect();
  return isMeant;
}

async function shutdown() {
  parentPort.postMessage({ shutdown: true });
  await sleep(HEAR_MS);
  if (running !== 0) process.kill(process.pid, "SIGTERM");
}

const receive = createReceiver((message) => {
  if (message.type === "input_batch") takeBatch(message.input);
  else if (message.type === "interrupt") void interrupt();
  else if (message.type === "shutdown") void shutdown();
  else process.kill(process.pid, "SIGKILL");
});

/** From now on this thread writes, and the other one hands it what it has to say. */
function takeOver() {
  Atomics.store(state, SLOT.isTaken, 1);
  while (Atomics.load(state, SLOT.isWriting) === 1) Atomics.wait(state, SLOT.isWriting, 1);
  if (Atomics.load(state, SLOT.isReady) === 1) running = 0;
}

/** Begins: the first message names the pipes that children write to, and brings what was heard already. */
function start({ raw: pipes, rest }) {
  takeOver();
  raw = pipes;
  for (const { fd, stream } of raw) {
    const pipe = new Socket({ fd, readable: true, writable: false });
    pipe.on("data", (bytes) => show(stream, bytes));
  }
  parentPort.on("message", (message) => {
    if (queue.push(message) === 1) setImmediate(takeAll);
  });
  const input = new Socket({ fd: descriptors.input, readable: true, writable: false });
  receive(rest);
  input.on("data", receive);
  // The server is gone: nobody is left to work for, and the main thread may never listen again.
  input.on("close", () => process.kill(process.pid, "SIGKILL"));
}

parentPort.once("message", start);
