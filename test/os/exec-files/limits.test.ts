import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fileClient, uri } from "../../exec/files/support/file-client.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("what one answer may hold", () => {
  it("refuses to read a file of more than 512 MiB", async () => {
    const folder = temporaryFolder({ f: "" });
    fs.truncateSync(path.join(folder, "f"), 536_870_913);
    expect((await fileClient().call("fs/readFile", { path: uri(folder, "f") })).error).toEqual({
      code: -32600,
      message: "file is too large to read: limit is 536870912 bytes",
    });
  });

  it("refuses to read a file that no message holds, and names the way to read it", async () => {
    const folder = temporaryFolder({ f: "" });
    fs.truncateSync(path.join(folder, "f"), 50_328_577);
    const { call } = fileClient();
    expect((await call("fs/readFile", { path: uri(folder, "f") })).error).toEqual({
      code: -32600,
      message:
        "file is too large for one answer: limit is 50328576 bytes, expected fs/open and fs/readBlock",
    });
    fs.truncateSync(path.join(folder, "f"), 50_328_576);
    expect((await call("fs/readFile", { path: uri(folder, "f") })).error).toBeUndefined();
  });

  it("refuses to list more than 50,000 names and cuts a walk at 4 MiB", async () => {
    const folder = temporaryFolder();
    const long = "n".repeat(190);
    for (let index = 0; index < 50_001; index += 1) {
      fs.closeSync(fs.openSync(path.join(folder, `${long}${index}`), "w"));
    }
    const { call } = fileClient();
    expect((await call("fs/readDirectory", { path: uri(folder) })).error?.code).toBe(-32603);
    const options = {
      maxDepth: 1,
      maxDirectories: 1,
      maxEntries: 50_000,
      followDirectorySymlinks: false,
    };
    const { result } = await call("fs/walk", { path: uri(folder), options });
    expect(result?.truncated).toBe(true);
    const entries = result?.entries as { path: string }[];
    const spent = entries.reduce((sum, entry) => sum + entry.path.length + 64, 0);
    expect(spent).toBeLessThanOrEqual(4 << 20);
    expect(spent).toBeGreaterThan((4 << 20) - 1024);
  }, 60_000);
});
