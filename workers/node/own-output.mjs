import { spawnSync } from "node:child_process";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/**
 * Puts pipes behind descriptors 1 and 2, so that what children write has a stream and an order.
 *
 * Node has no call for a pipe, so whoever starts it makes two, as `pipes`. Else a named one does,
 * and loses its name at once. Where no folder takes one, children write to the stream of last resort.
 */
export function ownOutput(env, pipes) {
  let folder;
  try {
    if (pipes?.every((fd) => fstatSync(fd).isFIFO())) return pipes.map(takePipe);
    folder = mkdtempSync(path.join(os.tmpdir(), "writ-"));
    const names = [1, 2].map((number) => path.join(folder, String(number)));
    if (spawnSync("mkfifo", names, { stdio: "ignore", env }).status !== 0) return [];
    return names.map((name, index) => replace(name, index + 1));
  } catch {
    return [];
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
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
  if (openSync(name, constants.O_WRONLY) !== number) throw new Error(`Cannot own ${number}`);
  closeSync(writer);
  return { fd, stream: number === 1 ? "stdout" : "stderr" };
}
