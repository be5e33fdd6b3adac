/**
 * The thread that speaks the protocol: it writes while the main thread is busy and hears an
 * interrupt when the main thread cannot.
 */
import { Session } from "node:inspector";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createReceiver, createSender, drain } from "../channel.mjs";
import { foreground, signalAll } from "../descendants.mjs";
import { cellOf } from "./hear-first.mjs";
import { AT, FIRST_CELL, SLOT } from "./slots.mjs";

/** How long the main thread has to hear of an interrupt before what it runs is ended. */
const HEAR_MS = 30;
/** How long it has once that was ended, or where it may only be waiting for a processor. */
const HEAR_AGAIN_MS = 1000;
/**
 * Who uses the processor for that long and hears nothing is at work, and not on its way to hear; for the
 * longer one, not in the worker's own code either, whatever it said before that was unwound.
 */
const WORK_MICROS = 20_000;
const LONG_WORK_MICROS = 1_000_000;

/** The server keeps no more of one, and takes no message of any length. */
const MOST_PROMPT = 16_384;

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
  if (blocks) answer(line);
  else parentPort.postMessage({ line });
}

function answer(line) {
  answers.postMessage(line);
  Atomics.add(state, SLOT.answers, 1);
  Atomics.notify(state, SLOT.answers);
}

/** Between cells nobody is asked: the next input is a cell, and what a cell has left behind gets no line. */
function ask({ prompt, blocks }) {
  if (running === 0) return blocks && answer(null);
  const question = { prompt: prompt.slice(0, MOST_PROMPT).toWellFormed(), blocks };
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
    takeOne(batch[0]?.chunk !== undefined ? texts.at(-1) : (batch.shift() ?? texts.at(-1)));
  }
}

function takeOne({ number, ask: question, message, over }) {
  if (question) ask(question);
  if (message) say(message);
  if (over !== undefined) endCell(over);
  Atomics.store(state, SLOT.done, number);
  Atomics.notify(state, SLOT.done);
}

/** Tells it once. */
function endCell(cell) {
  if (cell !== running) return;
  running = 0;
  asked = undefined;
  lines = [];
  send({ type: "ready" });
}

function say(message) {
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

/** Tells the main thread for as long as the cell is not over, and ends what keeps it from hearing. */
async function interrupt() {
  lines = [];
  asked = undefined;
  const cell = running;
  if (cell <= interrupted) return;
  interrupted = cell;
  const request = { cell, since: performance.now(), worked: workOfOthers() };
  for (let patience = HEAR_MS; running === cell; ) {
    parentPort.postMessage({ interrupt: cell });
    await sleep(patience);
    passOn(request);
    if (await terminate(request)) patience = HEAR_AGAIN_MS;
  }
}

/**
 * Interrupts the programs that the main thread may be waiting for, where it does nothing else: it hears of
 * nothing before they are over. Once, since many take a second time for more than the first.
 */
function passOn(request) {
  const { cell, worked, isPassedOn } = request;
  if (running !== cell || isPassedOn || workOfOthers() - worked > WORK_MICROS) return;
  request.isPassedOn = true;
  signalAll(foreground(process.pid), "SIGINT");
}

/**
 * Ends what the main thread runs, if that is the user's; tells whether it did.
 *
 * Connected no longer than it takes: a process with a debugger waits for it when it exits.
 */
async function terminate(request) {
  if (!isInReach(request)) return false;
  const debug = new Session();
  debug.connectToMainThread();
  const post = (method, params) =>
    new Promise((resolve) => debug.post(method, params, (_, reply) => resolve(reply)));
  const frames = Atomics.load(state, SLOT.at) === AT.cell ? [] : await holdUp(debug, post);
  // To connect takes longer than many a cell.
  const isMeant = isInReach(request);
  if (isMeant) await passImmediate(frames, post);
  const ended = isMeant && post("Runtime.terminateExecution");
  if (frames.length > 0) await post("Debugger.resume");
  await ended;
  debug.disconnect();
  return isMeant;
}

/** Has the main thread wait in the middle of what it runs, and gives that; nothing where it runs nothing. */
async function holdUp(debug, post) {
  const held = new Promise((resolve) =>
    debug.once("Debugger.paused", ({ params }) => resolve(params.callFrames)),
  );
  await post("Debugger.enable");
  await post("Debugger.pause");
  const frames = await Promise.race([held, sleep(HEAR_AGAIN_MS)]);
  if (frames === undefined) await post("Debugger.disable");
  return frames ?? [];
}

/**
 * Has the loop go on behind the immediate that is about to be ended.
 *
 * Node does so in a `finally`, which is left out then: it would stumble over that one for ever, or wait for
 * ever for those behind it, which it lost.
 */
async function passImmediate(frames, post) {
  // What the loop calls, all else was called by.
  const frame = frames.at(-1);
  if (frame?.functionName !== "processImmediate") return;
  const expression = "if (immediate._destroyed) outstandingQueue.head = immediate._idleNext";
  await post("Debugger.evaluateOnCallFrame", { callFrameId: frame.callFrameId, expression });
}

/** In a cell, or in what a cell left to the loop: there the loop's own steps would be unwound as well. */
function isInReach({ cell, since, worked }) {
  if (running !== cell) return false;
  const at = Atomics.load(state, SLOT.at);
  const work = workOfOthers() - worked;
  if (at === AT.own) return work > LONG_WORK_MICROS;
  return at === AT.cell || work > WORK_MICROS || performance.now() - since > HEAR_AGAIN_MS;
}

/** What the threads of this process but this one have used of the processor. */
function workOfOthers() {
  const all = process.cpuUsage();
  const own = process.threadCpuUsage();
  return all.user + all.system - own.user - own.system;
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
