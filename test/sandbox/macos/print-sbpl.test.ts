import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printSbpl } from "../../../src/sandbox/macos/print-sbpl.ts";
import { form, named, type Sbpl } from "../../../src/sandbox/macos/sbpl.ts";
import { campaign } from "../../support/campaign.ts";
import { parseSbpl } from "./support/parse-sbpl.ts";

/** Characters that end, begin or escape something, among others that do not. */
const odd = fc.constantFrom(
  '"',
  "\\",
  "(",
  ")",
  ";",
  "#",
  '#"',
  "\n",
  "\r",
  "\t",
  " ",
  "|",
  "'",
  "`",
);
const text = fc
  .array(fc.oneof(odd, fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join("").replaceAll("\0", ""));
const word = fc
  .stringMatching(/^[a-z][a-zA-Z0-9*_-]{0,12}$/)
  .filter((one) => !/(^|-)regex$/.test(one));

const { tree } = fc.letrec<{ tree: Sbpl }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    word.map((one): Sbpl => ({ kind: "word", word: one })),
    text.map((one): Sbpl => ({ kind: "text", text: one })),
    text.map((pattern): Sbpl => form("regex", { kind: "regex", pattern })),
    fc.array(tie("tree"), { maxLength: 5 }).map((items): Sbpl => ({ kind: "list", items })),
  ),
}));

describe("printSbpl", () => {
  it("prints a tree that reads back as the same tree, whatever its texts hold", () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), (nodes) => {
        expect(parseSbpl(nodes.map((node) => printSbpl(node)).join("\n"))).toEqual(nodes);
      }),
      campaign(5000),
    );
  });

  it.each([
    ["a quote and a rule behind it", '") (allow default) ("'],
    ["a backslash at the end", "a\\"],
    ["a quote behind a backslash", '\\") (allow default)'],
    ["a line of its own", '"\n(allow default)\n"'],
    ["a comment", '" ; '],
  ])("keeps %s inside the quotes of a text and of an expression", (_, given) => {
    const nodes = [named("literal", given), form("regex", { kind: "regex", pattern: given })];
    expect(nodes.flatMap((node) => parseSbpl(printSbpl(node)))).toEqual(nodes);
  });

  it.each(["a\0b", "\ud800"])("refuses %j, which no argument can carry", (given) => {
    for (const node of [
      named("literal", given),
      form("regex", { kind: "regex", pattern: given }),
    ]) {
      expect(() => printSbpl(node)).toThrow(expect.objectContaining({ code: "unenforceableRule" }));
    }
  });

  it.each(["", "a b", "a)", "(a", '"a"', "a;", "#t", "a\nb"])("refuses the word %j", (given) => {
    expect(() => printSbpl(form("allow", given))).toThrow(/expected a word/);
  });

  it("breaks a long rule behind its operations", () => {
    const filters = ["a", "b", "c"].map((name) => named("literal", `/${name.repeat(40)}`));
    expect(printSbpl(form("allow", "file-read*", ...filters)).split("\n")).toEqual([
      "(allow file-read*",
      `  (literal "/${"a".repeat(40)}")`,
      `  (literal "/${"b".repeat(40)}")`,
      `  (literal "/${"c".repeat(40)}"))`,
    ]);
  });
});
