/**
 * The R worker: libR in this process, its console over `mcp-repl-worker` version 6.
 *
 * R runs on the main thread and never returns to the event loop, so all it calls
 * is synchronous; messages arrive through a second thread. A batch is a queue of
 * lines, as if typed: later lines may answer `readline()` or `browser()`. R says
 * which prompt it waits at, also at top level, so `input_wait` ends every batch.
 */
import { readFileSync } from "node:fs";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { takeDescriptors } from "./channel.mjs";
import { libc } from "./native.mjs";
import { gateParts, OutputGate } from "./output-gate.mjs";
import { RConsole } from "./r-console.mjs";
import { startR } from "./r-library.mjs";

const FCNTL = {
  getFlags: 3,
  setFlags: 4,
  setDescriptorFlags: 2,
  closeOnExec: 1,
  nonBlocking: 2048,
};
const PROFILE = new URL("./r-profile.R", import.meta.url);

const fcntl = libc.func("int fcntl(int fd, int command, int value)");
const exit = libc.func("void _exit(int status)");

/** A pipe that is read without waiting and that no child inherits. */
function pipe() {
  const ends = [0, 0];
  libc.func("int pipe(_Out_ int *ends)")(ends);
  fcntl(ends[0], FCNTL.setFlags, fcntl(ends[0], FCNTL.getFlags, 0) | FCNTL.nonBlocking);
  for (const fd of ends) fcntl(fd, FCNTL.setDescriptorFlags, FCNTL.closeOnExec);
  return ends;
}

/** Puts a pipe behind a descriptor and returns the end that is read. */
function capture(fd) {
  const [reader, writer] = pipe();
  libc.func("int dup2(int from, int to)")(writer, fd);
  libc.func("int close(int fd)")(writer);
  return reader;
}

/** Starts the thread that hears the server; R starts beside it. */
function listen(parts, { count, pending }) {
  const { port1, port2 } = new MessageChannel();
  new Worker(new URL("./r-intake.mjs", import.meta.url), {
    workerData: { parts, count, pending, port: port2, input, woken },
    transferList: [port2],
    // Kept apart from this process's own, which Node would make non-blocking for all who share it.
    stdout: true,
    stderr: true,
  });
  return function next() {
    for (;;) {
      const seen = Atomics.load(count, 0);
      const received = receiveMessageOnPort(port1);
      if (received) return received.message;
      Atomics.wait(count, 0, seen);
    }
  };
}

const { input, output } = takeDescriptors(process.env);
process.env.R_DISABLE_HTTPD = "1";
if (!process.env.LC_ALL && !process.env.LANG) process.env.LC_CTYPE ??= "C.UTF-8";
for (const fd of [input, output]) fcntl(fd, FCNTL.setDescriptorFlags, FCNTL.closeOnExec);
const raw = [capture(1), capture(2)];
fcntl(0, FCNTL.setDescriptorFlags, 0);

const count = new Int32Array(new SharedArrayBuffer(4));
/** Where R keeps that it is to interrupt itself, once that is known. */
const pending = new BigUint64Array(new SharedArrayBuffer(8));
const [woken, wake] = pipe();
const parts = gateParts(raw, output, wake);
const gate = new OutputGate(parts);
gate.greet("r", true);
const next = listen(parts, { count, pending });
const console = new RConsole(gate, next, count, exit);
try {
  const library = startR(console.callbacks);
  console.attach(library);
  library.setup();
  Atomics.store(pending, 0, library.pendingAddress);
  console.introduce(readFileSync(PROFILE, "utf8"));
  library.loop();
} catch (error) {
  gate.close({ type: "session_end", reason: "crash", message: error.message });
  exit(1);
}
