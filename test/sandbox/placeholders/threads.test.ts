import { once } from "node:events";
import { readdirSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { holdPlaceholders } from "../../../src/sandbox/placeholders/hold-placeholders.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { Holding } from "./support/hold-in-thread.ts";

it("a placeholder stays while one thread of a process needs it, whatever another lets go of", async () => {
  const base = temporaryFolder({ "ws/f": "", "records/f": "" });
  const [folder, records] = ["ws", "records"].map((name) =>
    parseAbsolutePath(path.join(base, name)),
  );
  if (folder === undefined || records === undefined) throw new Error("Cannot lay out the test");
  const placeholder = { path: parseAbsolutePath(`${folder}/.git`), kind: "folder" } as const;
  const held = holdPlaceholders([placeholder], records);
  const workerData: Holding = { placeholder, records };
  const thread = new Worker(new URL("./support/hold-in-thread.ts", import.meta.url), {
    workerData,
  });
  expect(await once(thread, "exit")).toEqual([0]);
  expect(readdirSync(folder)).toEqual([".git", "f"]);
  held.release();
  expect([readdirSync(folder), readdirSync(records)]).toEqual([["f"], ["f"]]);
});
