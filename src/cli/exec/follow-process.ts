/** Follows a command elsewhere to its end, as if it ran here: its output, its input, what ends it. */
import { once } from "node:events";
import os from "node:os";
import type { Writable } from "node:stream";
import type { RunningProcess } from "../../exec/index.ts";
import { feedInput } from "./feed-input.ts";
import { relaySignals } from "./relay-signals.ts";
import { say } from "./say.ts";

export interface Followed {
  /** The exit status to end with. */
  readonly status: number;
  /** Whether its end was seen, by somebody or for nobody who still reads; else it was given up before. */
  readonly end: "seen" | "unread" | "unheard";
}

/** As after SIGPIPE: whoever read it has left. */
const NO_READER = 141;
const NOT_DONE = 1;
const SIGNALLED = 128;

/** A server that cannot be told of the end of the input (`canEnd`) gets none. */
export async function followProcess(running: RunningProcess, canEnd: boolean): Promise<Followed> {
  let isLacking = false;
  const lost = (error: Error) => {
    isLacking = true;
    say(`Cannot hand on the input of the command, which is ended: ${error.message}`);
    void running.terminate().catch(() => {});
  };
  const unread = ({ message }: Error) => say(`Cannot read the input of the command: ${message}`);
  const stop = canEnd ? feedInput(process.stdin, running, { unread, lost }) : () => {};
  const relay = relaySignals(running);
  try {
    const followed = await Promise.race([passOn(running), relay.unheard.then(givenUp)]);
    return isLacking ? { ...followed, status: followed.status || NOT_DONE } : followed;
  } finally {
    relay.stop();
    stop();
  }
}

function givenUp(signal: NodeJS.Signals): Followed {
  say(
    `Cannot end the command by ${signal}: its executor does not answer. It may still run, until the executor has missed this connection for 30 seconds`,
  );
  return { status: SIGNALLED + os.constants.signals[signal], end: "unheard" };
}

async function passOn(running: RunningProcess): Promise<Followed> {
  let status = NOT_DONE;
  let isRead = true;
  for await (const event of running.events) {
    if (event.kind === "exited") status = event.exit.exitCode;
    if (event.kind !== "output" || !isRead) continue;
    try {
      await written(event.stream === "stderr" ? process.stderr : process.stdout, event.chunk);
    } catch {
      isRead = false;
      await running.terminate();
    }
  }
  return isRead ? { status, end: "seen" } : { status: NO_READER, end: "unread" };
}

async function written(stream: Writable, chunk: Uint8Array): Promise<void> {
  if (stream.destroyed) throw new Error("nobody reads it");
  if (!stream.write(chunk)) await once(stream, "drain");
}
