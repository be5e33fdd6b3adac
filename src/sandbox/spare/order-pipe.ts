/**
 * What a spare's shell gets its order through, once.
 *
 * The shell opens the pipe by its name in `/proc`, so it is a real one. What is
 * left in it when all is over says whether the order could be carried out: until
 * then nobody else has had it open.
 */
import fs from "node:fs";
import { ORDER_FAILED } from "../linux/order-for.ts";
import { knowToClose } from "../run/inherited-from.ts";
import { openInput } from "../run/streams/open-pipe.ts";

export interface OrderPipe {
  /** The shell's side; to be closed here once the shell has it. */
  readonly inner: number;
  send(order: string): void;
  /** Whether the shell said that it could not start the command. To be asked when it is over. */
  hasFailed(): boolean;
  close(): void;
}

/** As much as is in a pipe at most. */
const MOST_BYTES = 1 << 16;

export function openOrderPipe(): OrderPipe {
  const { inner, outer } = openInput();
  // Nobody may be left to read it; how the run ended tells that.
  outer.on("error", () => {});
  const left = openAgain(inner, () => outer.destroy());
  return {
    inner,
    send: (order) => void outer.end(order),
    // A shell that was ended before it had read its order has left that one there, which has the same words in it.
    hasFailed: () => textIn(left).startsWith(ORDER_FAILED),
    close() {
      outer.destroy();
      fs.closeSync(left);
    },
  };
}

/** One that never waits: to wait here would stop everything. Where there is none, there is no pipe either. */
function openAgain(fd: number, giveUp: () => void): number {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  try {
    const again = fs.openSync(`/proc/self/fd/${fd}`, O_RDONLY | O_NONBLOCK);
    knowToClose(again, fs.fstatSync(again).ino);
    return again;
  } catch (error) {
    fs.closeSync(fd);
    giveUp();
    throw error;
  }
}

function textIn(fd: number): string {
  const text = Buffer.alloc(MOST_BYTES);
  try {
    return text.toString("latin1", 0, fs.readSync(fd, text));
  } catch {
    return ""; // There is nothing in it, and somebody might still write.
  }
}
