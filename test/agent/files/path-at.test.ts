import { describe, expect, it } from "vitest";
import { pathAt, pathToRead } from "../../../src/agent/files/path-at.ts";
import type { TurnFrame } from "../../../src/agent/turn-frame.ts";
import { parsePathUri } from "../../../src/policy/index.ts";

const frame = { cwd: parsePathUri("file:///w") } as TurnFrame;

describe("a path of a model", () => {
  it.each([
    ["a/b", "/w/a/b"],
    ["/etc", "/etc"],
    ["./~/a", "/w/~/a"],
    ["~a", "/w/~a"],
  ])("%s is %s", (path, native) => expect(pathAt(path, frame)).toBe(native));

  it.each(["~", "~/a"])("is refused where it means a home: %s", (path) => {
    expect(() => pathAt(path, frame)).toThrow(/^Cannot use "~.*: no home .*, expected an absolute/);
    expect(() => pathToRead(path, frame)).toThrow(/^Cannot use "~/);
  });
});
