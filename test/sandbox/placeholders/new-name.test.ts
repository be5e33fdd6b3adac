/** By whose name something is held: what a thread holds is not held any more once it was ended. */
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { isGone } from "../../../src/sandbox/placeholders/held-record.ts";
import { newName } from "../../../src/sandbox/placeholders/new-name.ts";

const MODULE = path.resolve(import.meta.dirname, "../../../src/sandbox/placeholders/new-name.ts");
const SAY = `
import { parentPort } from "node:worker_threads";
import { newName } from ${JSON.stringify(pathToFileURL(MODULE).href)};
parentPort.postMessage(newName());
setInterval(() => {}, 1000);
`;

it("names a thread, which is gone when it was ended, though its process is not", async () => {
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(SAY)}`));
  const [name] = await once(thread, "message");
  expect(isGone(name)).toBe(false);
  await thread.terminate();
  await expect.poll(() => isGone(name)).toBe(true);
  expect(isGone(newName())).toBe(false);
});
