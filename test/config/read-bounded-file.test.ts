import { describe, expect, it } from "vitest";
import { readBoundedFile } from "../../src/config/index.ts";

describe("readBoundedFile", () => {
  it.each([
    ["a NUL", "/repo/a\0b/writ.toml", String.raw`"/repo/a\u0000b/writ.toml"`],
    ["half a character", "/repo/a\ud800/writ.toml", String.raw`"/repo/a\ud800/writ.toml"`],
  ])("refuses a path with %s in a sentence that shows it", (_, file, shown) => {
    expect(() => readBoundedFile(file)).toThrow(
      `Cannot read ${shown}: it holds bytes no path has, expected one without NUL and half characters`,
    );
  });
});
