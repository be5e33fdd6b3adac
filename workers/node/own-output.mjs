import { spawnSync } from "node:child_process";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const NUMBERS = [1, 2];

/**
 * Puts pipes behind descriptors 1 and 2, so that what children write has a stream and an order.
 *
 * Node has no call for a pipe, so whoever starts it makes two, as `pipes`. Else a named one does,
 * and loses its name at once. Where no folder takes one, children write to the stream of last resort.
 * To be called while there is no other thread, which might take a number that is free for a moment.
 */
export function ownOutput(env, pipes) {
  if (pipes?.every((fd) => fstatSync(fd).isFIFO())) return pipes.map(takePipe);
  const folder = folderOfPipes(env);
  if (folder === undefined) return [];
  try {
    return NUMBERS.map((number) => replace(path.join(folder, String(number)), number));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder with a named pipe for each; nothing where none takes them. */
function folderOfPipes(env) {
  let folder;
  try {
    folder = mkdtempSync(path.join(os.tmpdir(), "writ-"));
    const names = NUMBERS.map((number) => path.join(folder, String(number)));
    if (spawnSync("mkfifo", names, { stdio: "ignore", env }).status === 0) return folder;
  } catch {
    // Nothing can be written there, or no program may be run.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return undefined;
}

function takePipe(fd, index) {
  const owned = replace(`/proc/self/fd/${fd}`, index + 1);
  closeSync(fd);
  return owned;
}

function replace(name, number) {
  // Opened for both, so that it neither waits for a writer nor ends with the last one.
  const fd = openSync(name, constants.O_RDWR | constants.O_NONBLOCK);
  const writer = openSync(name, constants.O_WRONLY);
  closeSync(number);
  // The lowest free number is the one just closed.
  const got = openSync(name, constants.O_WRONLY);
  if (got !== number) {
    throw new Error(`Cannot own descriptor ${number}: got ${got}, expected it to be free`);
  }
  closeSync(writer);
  return { fd, stream: number === 1 ? "stdout" : "stderr" };
}
