import { describe, expect, it } from "vitest";
import { lookTexts } from "../../../src/agent/files/look-texts.ts";

describe("what a model is told of a file", () => {
  const read = { offset: 2, totalLines: 3, isCut: true };

  it.each([
    ["the lines that it was given", { ...read, content: "b\nc\n" }, "[lines 2 to 3 of 3]\nb\nc\n"],
    [
      "that a line is cut, and where",
      { ...read, content: "xx", lineLength: 9 },
      "[line 2 of 3 is cut after 2 of 9 characters]\nxx",
    ],
    [
      "that there is no such line",
      { ...read, offset: 99, content: "" },
      "[there is no line 99, the last one is 3]",
    ],
    ["nothing more where it was given everything", { ...read, isCut: false, content: "a" }, "a"],
  ])("says %s", (_, lines, text) => expect(lookTexts.tellLines(lines)).toBe(text));
});
