/**
 * The thread of the R worker that never runs R.
 *
 * It takes messages while R works, forwards what children print, hands an
 * interrupt to the programs R waits for, and ends the process when the server
 * is gone. The signal that interrupts R itself comes from the server; while R
 * waits in `system()` of C it ignores that, and is told here.
 */
import { readSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { createReceiver, drain } from "./channel.mjs";
import { descendants, ignoresInterrupts, signalAll } from "./descendants.mjs";
import { libc } from "./native.mjs";
import { OutputGate, pollOf } from "./output-gate.mjs";

const GRACE_MS = 300;
const GATHER_MS = 1;
/** How far the word of an interrupt and its signal may be apart. R may have heard and forgotten it by then. */
const SIGNAL_MS = 50;
const pause = new Int32Array(new SharedArrayBuffer(4));
const { port, parts, count, pending, input, woken } = workerData;
const exit = libc.func("void _exit(int status)");
const fill = libc.func("void *memset(uintptr_t to, int byte, size_t size)");
const copy = libc.func("void *memcpy(void *to, uintptr_t from, size_t size)");
/** What R keeps of an interrupt that it has not acted on, an `int`. */
const flag = Buffer.alloc(4);
const poll = pollOf();
const gate = new OutputGate(parts);
let deadline = Number.POSITIVE_INFINITY;

function end(message, status) {
  if (message) gate.close(message);
  signalAll(descendants(process.pid), "SIGKILL");
  exit(status);
}

function take(message) {
  if (!["input_batch", "interrupt", "shutdown"].includes(message.type)) {
    const text = `Cannot take "${message.type}": expected input_batch, interrupt or shutdown`;
    end({ type: "session_end", reason: "protocol_error", message: text }, 1);
  }
  // Told before it is signalled: R that comes back to its prompt finds out why.
  port.postMessage(message);
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
  if (message.type === "interrupt") interrupt();
  if (message.type === "shutdown") {
    deadline = Date.now() + GRACE_MS;
    process.kill(process.pid, "SIGINT");
  }
}

function interrupt() {
  const programs = descendants(process.pid);
  const address = Atomics.load(pending, 0);
  if (programs.length > 0 && address !== 0n) awaitSignal(address);
  signalAll(programs, "SIGINT");
}

/** Has R know of it before the programs do: it would take their end for what it waits for, and go on. */
function awaitSignal(address) {
  // The variable has the byte order of the machine, and R asks only whether it is 0.
  if (ignoresInterrupts(process.pid)) fill(address, 1, 1);
  for (let tries = 0; tries < SIGNAL_MS && !isSet(address); tries += 1)
    Atomics.wait(pause, 0, 0, 1);
}

function isSet(address) {
  copy(flag, address, flag.length);
  return flag.some((byte) => byte !== 0);
}

// Signals are for the thread that runs R: its handlers jump out of what it waits in.
libc.func("int pthread_sigmask(int how, void *set, void *old)")(0, Buffer.alloc(128, 0xff), null);
const receive = createReceiver(take);
const buffer = Buffer.allocUnsafe(65_536);
for (;;) {
  const left = Math.min(deadline - Date.now(), 60_000);
  const [message, ...printed] = poll([input, woken, ...parts.raw], Math.max(left, 0));
  if (Date.now() >= deadline) end({ type: "session_end", reason: "shutdown" }, 0);
  if (printed[0]) {
    // R that prints goes on printing; at its prompt it does not wait for this thread.
    Atomics.wait(pause, 0, 0, GATHER_MS);
    drain(woken, () => {});
  }
  if (printed.includes(true)) gate.flush();
  if (!message) continue;
  const length = readSync(input, buffer);
  if (length === 0) end(undefined, 0);
  receive(buffer.subarray(0, length));
}
