/**
 * A process that works in a thread: `thread-writer.ts FOLDER THREAD COUNT SIZE`.
 *
 * It says what was kept after it was. It makes the thread where there is none, and lives on with an
 * open turn if COUNT is 0.
 */
import fs from "node:fs";
import { openThreadStore } from "../../../../src/app-server/store/open-thread-store.ts";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import { aCommand, aMessage, anItem, aThread, aTurn } from "./kept-threads.ts";

const [folder = "", thread = "", count = "0", size = "0"] = process.argv.slice(2);
const pause = new Int32Array(new SharedArrayBuffer(4));
const say = (word: string, id: string) => fs.writeSync(1, `${word} ${id}\n`);

try {
  const store = openThreadStore(parseAbsolutePath(folder));
  if (store.find(thread) === undefined) store.create(aThread(thread));
  if (!store.claim(thread)) throw Object.assign(new Error("held"), { code: "held" });
  const turn = `turn-${store.turnCount(thread) + 1}`;
  store.startTurn(thread, aTurn(turn));
  say("turn", turn);
  const open = { turn, completedAt: null };
  for (let item = 1; item <= Number(count); item += 1) {
    const id = `${turn}-item-${item}`;
    store.putItem(thread, anItem(aCommand(id), open));
    say("began", id);
    const done = aCommand(id, { status: "completed", output: "x".repeat(Number(size)) });
    store.putItem(thread, anItem(done, { turn }));
    say("kept", id);
    // Whoever asks again at once leaves no moment to the others.
    Atomics.wait(pause, 0, 0, 0.5);
  }
  if (count === "0") {
    store.putItem(thread, anItem(aCommand("command"), open));
    store.putItem(thread, anItem(aMessage("message"), open));
    say("open", "command");
    setInterval(() => {}, 1000);
  }
} catch (error) {
  if (!(error instanceof Error) || !("code" in error)) throw error;
  say("failed", String(error.code));
}
