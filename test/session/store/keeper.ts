/** A process that keeps a session and lives on: `keeper.ts FOLDER THREAD`. With `many` it writes until it is killed; a provider may follow. */
import fs from "node:fs";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { openSessionStore } from "../../../src/session/store/session-store.ts";
import { aSession } from "./sessions.ts";

const [folder = "", thread = "", often = "once", provider = "local"] = process.argv.slice(2);
const store = openSessionStore(parseAbsolutePath(folder));
for (let generation = 1; ; generation += 1) {
  const [id, boundDigest] = [`sandbox-${generation}`, `digest-${generation}`];
  store.put(aSession({ thread, provider, id, boundDigest, generation }));
  fs.writeSync(1, `kept ${generation}\n`);
  if (often === "once") break;
}
setInterval(() => {}, 1000);
