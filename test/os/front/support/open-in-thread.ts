/** Opens files while a thread of it runs commands, and prints what the thread saw and how many files were lost with it. */
import { once } from "node:events";
import fs from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { openSandbox } from "../../../../src/front/index.ts";

const COMMANDS = 8;

if (isMainThread) {
  const [workspace, home] = process.argv.slice(2);
  const thread = new Worker(import.meta.filename, { workerData: { workspace, home } });
  const opened = new Map<number, number>();
  const timer = setInterval(() => {
    const fd = fs.openSync(import.meta.filename, "r");
    opened.set(fd, fs.fstatSync(fd).ino);
  }, 2);
  thread.once("message", (seen) => process.stdout.write(seen));
  await once(thread, "exit");
  clearInterval(timer);
  const lost = [...opened].filter(([fd, ino]) => inodeOf(fd) !== ino);
  process.stdout.write(`lost ${lost.length}\n`);
} else {
  const sandbox = await openSandbox({ policy: "workspace-write", ...workerData });
  const seen: string[] = [];
  for (let count = 0; count < COMMANDS; count += 1) {
    const { stdout, stderr } = await sandbox.run(["sh", "-c", "cat; echo out; echo err >&2"]);
    seen.push(`${stdout}${stderr}`);
  }
  await sandbox.close();
  parentPort?.postMessage(seen.join(""));
}

function inodeOf(fd: number): number | undefined {
  try {
    return fs.fstatSync(fd).ino;
  } catch {
    return undefined;
  }
}
