import { describe, expect, it } from "vitest";
import { filesUnder, readText } from "./support/repository.ts";

const files = filesUnder("").filter((file) => !file.startsWith("test/fixtures/"));
/** Folders of one machine. Homes of made-up people are fine in examples. */
const MACHINE_PATH =
  /(?<![\w.)}>*~-])\/(?:(?:work|root)\/|home\/(?!(?:user|me|you|alice|bob|ada)\b)[a-z])/;
const UNFINISHED = /\b(?:TOD[O]|FIXM[E]|XX[X])\b/;

function linesWith(pattern: RegExp, file: string, text = readText(file)): string[] {
  if (text.includes("\0")) return [];
  return text
    .split("\n")
    .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : []));
}

describe("the text of the repository", () => {
  it("names no folder of a machine it was written on", () => {
    expect(files).toContain("package.json");
    expect(files.flatMap((file) => linesWith(MACHINE_PATH, file))).toEqual([]);
  });

  it("marks nothing as unfinished", () => {
    const written = files.filter((file) => file !== "package-lock.json");
    expect(written.flatMap((file) => linesWith(UNFINISHED, file))).toEqual([]);
  });

  it("locks packages without naming a registry", () => {
    expect(linesWith(/"resolved": "http/, "package-lock.json")).toEqual([]);
  });
});

describe("linesWith", () => {
  const root = ["", "root", ".npmrc"].join("/");
  const work = ["", "work", "main"].join("/");
  const home = ["", "home", "jane", "code"].join("/");

  it.each([root, work, home, `"${home}"`, `file://${work}`, `cd ${root}`])("reports %s", (text) => {
    expect(linesWith(MACHINE_PATH, "a.md", `one\n${text}`)).toEqual(["a.md:2"]);
  });

  it.each([
    "/home/user/x",
    `https://example.com${work}`,
    "/workspace/a",
    `\${dir}${work}`,
    "/rooted/",
  ])("accepts %s", (text) => {
    expect(linesWith(MACHINE_PATH, "a.md", text)).toEqual([]);
  });

  it("reports each mark of unfinished work", () => {
    for (const mark of [
      ["TO", "DO"],
      ["FIX", "ME"],
      ["X", "XX"],
    ]) {
      expect(linesWith(UNFINISHED, "a.md", `// ${mark.join("")}: later`)).toEqual(["a.md:1"]);
    }
    expect(linesWith(UNFINISHED, "a.md", "mktemp a.XXXXXX")).toEqual([]);
  });
});
