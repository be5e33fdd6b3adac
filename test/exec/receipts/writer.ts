/** A process that keeps receipts and says so: `writer.ts FOLDER COUNT`. It lives on with an open run if COUNT is 0. */
import fs from "node:fs";
import { openReceiptStore } from "../../../src/exec/receipts/receipt-store.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { anEnd, aStart } from "./kept-receipts.ts";

const [folder = "", count = "0", size = "0"] = process.argv.slice(2);
const pause = new Int32Array(new SharedArrayBuffer(4));
const say = (word: string, id: string) => fs.writeSync(1, `${word} ${id}\n`);

try {
  const store = openReceiptStore(parseAbsolutePath(folder));
  for (let run = 0; run < Number(count); run += 1) {
    const start = aStart({ cwd: "x".repeat(Number(size)) });
    say("starting", start.id);
    store.started(start);
    say("started", start.id);
    store.ended(anEnd(start));
    say("ended", start.id);
    // Whoever asks again at once leaves no moment to the others.
    Atomics.wait(pause, 0, 0, 0.5);
  }
  if (count === "0") {
    const start = aStart();
    store.started(start);
    say("started", start.id);
    setInterval(() => {}, 1000);
  }
} catch (error) {
  if (!(error instanceof Error) || !("code" in error)) throw error;
  say("failed", String(error.code));
}
