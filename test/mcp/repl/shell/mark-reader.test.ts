import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MarkReader } from "../../../../src/mcp/repl/shell/mark-reader.ts";
import { campaign } from "../../../support/campaign.ts";

const KEY = "01234567-89ab-cdef-0123-456789abcdef";
const markOf = (word: string) => `\0${KEY}:${word}\n`;

/** Reads all of it in pieces of a size: the text, with each mark in brackets. */
function read(said: string, size: number): string {
  const heard: string[] = [];
  const reader = new MarkReader({
    text: (bytes) => void heard.push(Buffer.from(bytes).toString("latin1")),
    mark: (word) => void heard.push(`<${word}>`),
    broke: () => void heard.push("broke"),
  });
  const bytes = Buffer.from(said, "latin1");
  for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
  return heard.join("");
}

describe("a MarkReader", () => {
  it("tells marks from text, in their order and however they are cut", () => {
    const said = `${KEY}\na\n${markOf("p:1:0")}b${markOf("l:2:input")}${markOf("x:exit:7")}c`;
    for (let size = 1; size <= said.length; size += 1) {
      expect(read(said, size)).toBe("a\n<p:1:0>b<l:2:input><x:exit:7>c");
    }
  });

  it("takes for text what only begins like a mark", () => {
    const long = `\0${KEY}:${"x".repeat(70)}\n`;
    const other = `\0${KEY.replace("0", "1")}:p:1:0\n`;
    for (const size of [1, 2, 5, 1000]) {
      const said = `${KEY}\n\0a\0${KEY}b${long}${other}${markOf("p:1:0")}`;
      expect(read(said, size)).toBe(`\0a\0${KEY}b${long}${other}<p:1:0>`);
    }
  });

  it("breaks with a stream that does not begin with a key, and reads no more of it", () => {
    for (const size of [1, 10, 1000]) {
      expect(read(`no key at all, however long it is waited for${markOf("p:1:0")}`, size)).toBe(
        "broke",
      );
    }
  });

  it("loses no byte and makes up no mark, whatever is printed", () => {
    const piece = fc.constantFrom(
      "\0",
      KEY,
      `\0${KEY}`,
      `\0${KEY}:`,
      ":",
      "\n",
      "a",
      "p:1:0",
      markOf("m"),
    );
    const property = fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.integer({ min: 1, max: 60 }),
      (pieces, size) => {
        const said = `${pieces.join("")}.\n`;
        const wanted = said.replaceAll(new RegExp(`\0${KEY}:([^\n]{0,64})\n`, "g"), "<$1>");
        expect(read(`${KEY}\n${said}`, size)).toBe(wanted);
      },
    );
    fc.assert(property, campaign(5000));
  });
});
