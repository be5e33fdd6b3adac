import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { MemfdUsage } from "../../../src/sandbox/limits/memfd-usage.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DESCRIPTORS = 3000;

/** A folder like one of /proc, of a process with very many descriptors. */
function processIn(root: string, name: string): string {
  const folder = path.join(root, name);
  fs.mkdirSync(path.join(folder, "fd"), { recursive: true });
  fs.mkdirSync(path.join(folder, "task"));
  for (let fd = 0; fd < DESCRIPTORS; fd += 1) fs.symlinkSync("none", `${folder}/fd/${fd}`);
  return folder;
}

describe("MemfdUsage", () => {
  it("looks at so many descriptors at a time, and at each process in its turn", () => {
    const root = temporaryFolder();
    const folders = ["1", "2", "3", "4", "5"].map((name) => processIn(root, name));
    const look = vi.spyOn(fs, "readlinkSync");
    const usage = new MemfdUsage(1);
    const seen = () => {
      look.mockClear();
      usage.bytes(folders);
      const places = look.mock.calls.map(([place]) => path.dirname(path.dirname(String(place))));
      return [...new Set(places)].map((folder) => path.basename(folder));
    };
    expect(seen()).toEqual(["1", "2", "3"]);
    expect(seen()).toEqual(["4", "5", "1"]);
    expect(seen()).toEqual(["2", "3", "4"]);
  });

  it("keeps no process from its turn for those that are new", () => {
    const root = temporaryFolder();
    const [old = "", ...others] = ["0", "1", "2", "3", "4", "5", "6"].map((name) =>
      processIn(root, name),
    );
    const look = vi.spyOn(fs, "readlinkSync");
    const usage = new MemfdUsage(1);
    const isSeen = (folders: readonly string[]) => {
      look.mockClear();
      usage.bytes(folders);
      return look.mock.calls.some(([place]) => String(place).startsWith(`${old}/`));
    };
    expect(isSeen([old])).toBe(true);
    expect(isSeen([...others.slice(0, 3), old])).toBe(true);
    expect(isSeen([...others.slice(3), old])).toBe(true);
  });
});
