import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep, setImmediate as soon } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { fileClient, uri } from "./support/file-client.ts";

const MANY = 3000;

function folderOfMany(): string {
  const names = Array.from({ length: MANY }, (_, index) => [`from/${index}`, "x"]);
  return temporaryFolder(Object.fromEntries(names));
}

const countIn = (folder: string) => (fs.existsSync(folder) ? fs.readdirSync(folder).length : 0);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await soon();
}

/** What is there once nothing changes any more. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; ; ) {
    const now = count();
    if (now === before) return now;
    before = now;
    await sleep(100);
  }
}

describe("a client that has left", () => {
  it("does not have the rest copied", async () => {
    const folder = folderOfMany();
    const to = path.join(folder, "to");
    const client = fileClient();
    const paths = { sourcePath: uri(folder, "from"), destinationPath: uri(folder, "to") };
    void client.call("fs/copy", { ...paths, recursive: true });
    await until(() => countIn(to) > 0);
    client.close();
    expect(await settled(() => countIn(to))).toBeLessThan(MANY);
  });

  it("does not have the rest removed", async () => {
    const folder = folderOfMany();
    const from = path.join(folder, "from");
    const client = fileClient();
    void client.call("fs/remove", { path: uri(folder, "from") });
    await until(() => countIn(from) < MANY);
    client.close();
    expect(await settled(() => countIn(from))).toBeGreaterThan(0);
  });
});

it("leaves of a private file only what nobody else may read", async () => {
  const folder = temporaryFolder({ from: "" });
  const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
  fs.truncateSync(from, 64 << 20);
  fs.chmodSync(from, 0o600);
  const client = fileClient();
  const paths = { sourcePath: uri(folder, "from"), destinationPath: uri(folder, "to") };
  void client.call("fs/copy", { ...paths, recursive: false });
  await until(() => fs.existsSync(to) && fs.statSync(to).size > 0);
  expect(fs.statSync(to).mode & 0o777).toBe(0o600);
  client.close();
});
