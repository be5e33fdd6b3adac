/**
 * The bash worker: cells of one shell, over `mcp-repl-worker` version 6.
 *
 * `bash.mjs [program]`. A cell that ends with a status other than 0 is followed
 * by a line `[exit status N]` on stderr, its own message after all output of
 * the cell. While a cell runs, the kernel is asked who sleeps in a read of the
 * cell's standard input; then `input_wait` is sent, and the next batch is that
 * input. A batch that ends in U+0004 also ends the input.
 */
import { Socket } from "node:net";
import { BashShell } from "./bash-shell.mjs";
import { createReceiver, createSender, takeDescriptors } from "./channel.mjs";

const END_OF_INPUT = "\u0004";
const GRACE_MS = 300;
/** What an interactive bash says when it is told to exit. */
const FAREWELL = Buffer.from("exit\n");

const descriptors = takeDescriptors(process.env);
const { send, greet, text } = createSender(descriptors.output);
let state = "starting";
let held = Buffer.alloc(0);
let last = { stream: "stdout", newline: true };

function print(stream, bytes) {
  if (bytes.length === 0) return;
  last = { stream, newline: bytes.at(-1) === 10 };
  text(stream, bytes);
}

function release() {
  print("stderr", held);
  held = Buffer.alloc(0);
}

function output(stream, bytes) {
  if (stream === "stdout") {
    release();
    print(stream, bytes);
    return;
  }
  const all = Buffer.concat([held, bytes]);
  const kept = all.subarray(-FAREWELL.length).equals(FAREWELL) ? FAREWELL.length : 0;
  print(stream, all.subarray(0, all.length - kept));
  held = all.subarray(all.length - kept);
}

function finished(status) {
  release();
  if (status !== 0 && state !== "starting") {
    const newLine = last.stream === "stderr" && !last.newline ? "\n" : "";
    print("stderr", Buffer.from(`${newLine}[exit status ${status}]\n`));
  }
  state = "idle";
  send({ type: "ready" });
}

function waiting() {
  release();
  state = "waiting";
  send({ type: "input_wait", prompt: "" });
}

function ended(code, signal, why) {
  if (code === null) release();
  const asked = state === "stopping";
  const reason = asked ? "shutdown" : code === null ? "crash" : "runtime_exit";
  stop(reason, why ?? (code === null ? `signal ${signal}` : `exit ${code}`), why ? 1 : 0);
}

function stop(reason, message, code) {
  send({ type: "session_end", reason, message });
  shell.kill();
  process.exit(code);
}

function batch(input) {
  const lines = input.replaceAll("\r\n", "\n");
  if (state === "idle") {
    state = "busy";
    shell.run(lines);
    return;
  }
  state = "busy";
  if (lines.endsWith(END_OF_INPUT)) shell.feed(lines.slice(0, -1), true);
  else shell.feed(lines.endsWith("\n") ? lines : `${lines}\n`, false);
}

function interrupt() {
  if (state !== "busy" && state !== "waiting") return;
  state = "busy";
  shell.interrupt();
}

function shutdown() {
  state = "stopping";
  shell.hangUp();
  setTimeout(() => shell.kill(), GRACE_MS);
}

function take(message) {
  const ready = state === "idle" || state === "waiting";
  if (message.type === "input_batch" && ready) batch(String(message.input));
  else if (message.type === "interrupt") interrupt();
  else if (message.type === "shutdown") shutdown();
  else stop("protocol_error", `Cannot take "${message.type}": the worker is ${state}`, 1);
}

// The message says it; the signal that comes with it is for programs in this group.
process.on("SIGINT", () => {});
greet("bash", false);
const shell = new BashShell(process.argv[2] ?? "bash", Object.values(descriptors), {
  output,
  finished,
  waiting,
  ended,
});
new Socket({ fd: descriptors.input, readable: true, writable: false })
  .on("data", createReceiver(take))
  .on("error", () => {})
  .on("close", () => {
    shell.kill();
    process.exit(0);
  });
