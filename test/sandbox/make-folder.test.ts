import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../../src/sandbox/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("makeFolder", () => {
  it("makes what is missing, for this user alone", () => {
    const folder = path.join(temporaryFolder(), "a/b");
    makeFolder(folder);
    makeFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.dirname(folder)).mode & 0o777).toBe(0o700);
  });

  it("gives up on a file, below one, and where nothing can be made", () => {
    const folder = temporaryFolder({ file: "" });
    for (const place of [`${folder}/file`, `${folder}/file/x`, "/proc/writ/x"]) {
      expect(() => makeFolder(place)).toThrow();
    }
    expect(existsSync("/proc/writ")).toBe(false);
  });
});
