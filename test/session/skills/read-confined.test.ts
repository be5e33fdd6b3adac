import { realpathSync, renameSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readConfined } from "../../../src/session/skills/files/read-confined.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function place() {
  const base = realpathSync(temporaryFolder({ "in/a/file": "inside", "out/file": "secret" }));
  const folder = path.join(base, "in");
  const read = (name: string, mostBytes = 100) => readConfined({ folder, path: name, mostBytes });
  return { base, folder, read };
}

describe("readConfined", () => {
  it("reads a plain file, and has nothing for one that is not there", () => {
    const { read } = place();
    expect(read("a/file")?.toString()).toBe("inside");
    expect(read("a/none")).toBeNull();
    expect(read("a/file/below")).toBeNull();
  });

  it("case 49: refuses a folder", () => {
    expect(() => place().read("a")).toThrow("no plain file");
  });

  it("refuses a file that is bigger than it may be", () => {
    expect(() => place().read("a/file", 3)).toThrow("it has 6 bytes, expected at most 3");
  });

  it("refuses a file that turns out longer than it was said to be", () => {
    const ofProcess = { folder: `/proc/${process.pid}`, path: "status", mostBytes: 100_000 };
    expect(() => readConfined(ofProcess)).toThrow("it grew while it was read");
  });

  it.each([
    ["case 50: a link to a file outside", "link", "../out/file", "link"],
    ["a link to a file inside", "link", "a/file", "link"],
    ["a link to a folder outside", "link", "../out", "link/file"],
    ["a link to a folder inside", "link", "a", "link/file"],
  ])("refuses %s", (_, name, target, asked) => {
    const { folder, read } = place();
    symlinkSync(target, path.join(folder, name));
    expect(() => read(asked)).toThrow(/it is a link|leads elsewhere/);
  });

  it.each(["../out/file", "a/../../out/file", "/etc/passwd/../passwd", ""])(
    "refuses %j, which leads out of the folder by its words",
    (asked) => {
      expect(() => place().read(asked)).toThrow("expected a path inside");
    },
  );

  it("refuses what was a folder a moment ago and is a link now", () => {
    const { folder, read } = place();
    const at = path.join(folder, "a");
    expect(read("a/file")).not.toBeNull();
    renameSync(at, `${at}-away`);
    symlinkSync("../out", at);
    expect(() => read("a/file")).toThrow("elsewhere");
  });
});
