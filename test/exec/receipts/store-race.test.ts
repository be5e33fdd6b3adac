import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { Opening } from "./opener.ts";

it("a store that several make at once is nobody else's", { timeout: 120_000 }, async () => {
  const [files, openers] = [120, 3];
  const arrived = new SharedArrayBuffer(4);
  const opening: Opening = { folder: temporaryFolder(), files, openers, arrived };
  const refused: string[] = [];
  const workers = Array.from({ length: openers }, () => {
    const worker = new Worker(new URL("./opener.ts", import.meta.url), { workerData: opening });
    worker.on("message", (sentence: string) => refused.push(sentence));
    return once(worker, "exit");
  });
  await Promise.all(workers);
  expect(refused).toEqual([]);
});
