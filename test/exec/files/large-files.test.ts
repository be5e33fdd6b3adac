/** A file that no answer could hold is not read before that is said. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { fileClient, uri } from "./support/file-client.ts";

it("takes no room for a file that is refused", async () => {
  const folder = temporaryFolder({ f: "" });
  fs.truncateSync(path.join(folder, "f"), 500 << 20);
  let peak = 0;
  const before = process.memoryUsage().rss;
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss - before);
  }, 5);
  const { error } = await fileClient().call("fs/readFile", { path: uri(folder, "f") });
  clearInterval(look);
  peak = Math.max(peak, process.memoryUsage().rss - before);
  expect(error?.message).toMatch(/^file is too large for one answer/);
  expect(peak).toBeLessThan(100 << 20);
});
