import { describe, expect, it } from "vitest";
import { applyChunks } from "../../../src/agent/files/patch/apply-chunks.ts";
import { parsePatch } from "../../../src/agent/files/patch/parse-patch.ts";

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

describe("a patch", () => {
  it("is read into its steps, each with its line", () => {
    const text = patch(
      ...["*** Add File: a/new.txt", "+one", "+", "*** Delete File: old.txt"],
      ...["*** Update File: b.txt", "*** Move to: c.txt", "@@ def f():", " keep", "-go", "+come"],
      ...["@@", "-last", "+end", "*** End of File"],
    );
    expect(parsePatch(`\n${text}\n\n`)).toEqual([
      { kind: "add", path: "a/new.txt", line: 2, content: "one\n\n" },
      { kind: "delete", path: "old.txt", line: 5 },
      {
        ...{ kind: "update", path: "b.txt", line: 6, movePath: "c.txt" },
        chunks: [
          {
            ...{ line: 8, after: "def f():", isAtEnd: false },
            ...{ old: ["keep", "go"], new: ["keep", "come"], kept: [0, null] },
          },
          { line: 12, after: null, old: ["last"], new: ["end"], kept: [null], isAtEnd: true },
        ],
      },
    ]);
  });

  it.each<[string, string, RegExp]>([
    ["nothing", "", /line 1:.*Begin Patch/],
    ["no beginning", "*** Add File: a\n+x\n*** End Patch", /line 1:.*Begin Patch/],
    ["no end", "*** Begin Patch\n*** Add File: a\n+x", /line 4: it ends here/],
    ["no step", patch(), /changes no file/],
    ["an unknown step", patch("*** Rename File: a"), /line 2:.*Add File/],
    ["words instead of a step", patch("hello"), /line 2/],
    ["no path", patch("*** Delete File:  "), /line 2:.*no path/],
    ["a new file without a plus", patch("*** Add File: a", "x"), /line 3:.*"\+"/],
    ["a new file without lines", patch("*** Add File: a"), /line 3:.*no lines/],
    ["an update without lines", patch("*** Update File: a"), /line 3:.*no lines/],
    ["a place without lines", patch("*** Update File: a", "@@", "@@", "+x"), /line 4:.*no lines/],
    ["a line without a sign", patch("*** Update File: a", "@@", "x"), /line 4:.*begins with/],
    [
      "lines after the end of a file",
      patch("*** Update File: a", "@@", "+x", "*** End of File", "+y"),
      /line 6:.*@@/,
    ],
    ["words after the end", `${patch("*** Delete File: a")}\nmore`, /line 4:.*follows the end/],
    ["lines of a file to delete", patch("*** Delete File: a", "-x"), /line 3/],
  ])("is refused with its line: %s", (_, text, message) => {
    expect(() => parsePatch(text)).toThrow(message);
  });
});

describe("chunks of a patch", () => {
  const put = (text: string, ...lines: string[]) => {
    const [step] = parsePatch(patch("*** Update File: f", ...lines));
    return step?.kind === "update" ? applyChunks(text, step.chunks) : undefined;
  };

  it.each<[string, string, string[], string]>([
    ["replace lines", "a\nb\nc\n", [" a", "-b", "+B"], "a\nB\nc\n"],
    ["come in order", "x\ny\nx\ny\n", ["@@", "-x", "+1", "@@", "-x", "+2"], "1\ny\n2\ny\n"],
    ["begin after the line that is named", "f\nx\ng\nx\n", ["@@ g", "-x", "+X"], "f\nx\ng\nX\n"],
    ["are put behind it where nothing goes", "f\ng\n", ["@@ f", "+x"], "f\nx\ng\n"],
    ["are put at the end where no place is named", "f\n", ["@@", "+x"], "f\nx\n"],
    ["are found at the end", "x\ny\nx\n", ["-x", "+z", "*** End of File"], "x\ny\nz\n"],
    ["forgive space at the end of lines", "a  \nb\n", ["-a", "+A"], "A\nb\n"],
    ["forgive space around lines", "\ta\n", ["-a", "+A"], "A\n"],
    ["like a line as it is most", " a\na\n", ["-a", "+A"], " a\nA\n"],
    ["forgive an empty line at the end", "a\n", ["-a", "+A", ""], "A\n"],
    ["keep line ends", "a\r\nb\r\n", ["-b", "+B"], "a\r\nB\r\n"],
    ["leave the ends of other lines", "a\r\nb\nc\r\n", ["-b", "+B", "+D"], "a\r\nB\nD\nc\r\n"],
    ["leave lines that only say where", "\ta \r\nb\n", [" a", "-b", "+B"], "\ta \r\nB\n"],
    [
      "leave lines between two changes",
      "    a = 1\n    keep = 2   \n    b = 3\n",
      ["-    a = 1", "+    a = 10", " keep = 2", "-    b = 3", "+    b = 30"],
      "    a = 10\n    keep = 2   \n    b = 30\n",
    ],
    [
      "leave the ends of lines between two changes",
      "one\r\ntwo\nthree\r\n",
      ["-one", "+ONE", " two", "-three", "+THREE"],
      "ONE\r\ntwo\nTHREE\r\n",
    ],
    [
      "leave no line for an empty one that stands for the end",
      "a\nb\nc\n",
      ["-a", "+A", " b", "", "+x"],
      "A\nb\n\nx\nc\n",
    ],
    ["give the last line an end", "a\nb", ["-a", "+A"], "A\nb\n"],
    ["give the last line the end of others", "a\r\nb", ["-a", "+A"], "A\r\nb\r\n"],
    ["leave a byte order mark", "\ufeffa\nb\n", ["-a", "+A"], "\ufeffA\nb\n"],
    ["leave it in front", "\ufeffa\nb\n", ["+z", " a"], "\ufeffz\na\nb\n"],
    ["have it once, also if they name it", "\ufeffa\n", ["-\ufeffa", "+\ufeffA"], "\ufeffA\n"],
    ["empty a file", "a\n", ["-a"], ""],
    ["fill an empty one", "", ["+a"], "a\n"],
  ])("%s", (_, before, lines, after) => {
    expect(put(before, ...lines)).toBe(after);
  });

  it("may bring very many lines", () => {
    const lines = Array.from({ length: 300_000 }, (_, index) => `${index}`);
    const come = lines.map((line) => `+${line}`).join("\n");
    expect(put("a\n", " a", come)).toBe(`a\n${lines.join("\n")}\n`);
  });

  it("are given up where to find them would hold up everything else", () => {
    const many = (count: number, line: string) => Array.from({ length: count }, () => line);
    const text = `${many(100_000, "a").join("\n")}\n`;
    expect(() => put(text, many(50_000, "-a").join("\n"), "-b")).toThrow(
      /line 3:.*too long to find/,
    );
    expect(put(text, "@@", "-a", "+b", "@@", "-a", "+c")?.slice(0, 8)).toBe("b\nc\na\na\n");
  });

  it("are given up where a file has more lines than fit", { timeout: 15_000 }, () => {
    expect(() => put("\n".repeat(8 << 20), "-", "+x")).toThrow(
      /line 3:.*8388608 lines, expected at most 2500000/,
    );
  });

  it("are given up soon where long lines are alike", { timeout: 15_000 }, () => {
    const line = "x".repeat(1000);
    const old = Array.from({ length: 4000 }, () => `-${line}`);
    expect(() => put(`${line}\n`.repeat(8000), ...old, "-b")).toThrow(/too long to find/);
  });

  it.each<[string, string[], RegExp]>([
    ["lines that are not there", ["-z", "+y"], /line 3:.*"z"/],
    ["a place that is not there", ["@@ nowhere", "-a", "+b"], /line 3:.*"nowhere"/],
    [
      "lines that came before the chunk above",
      ["@@", "-b", "+B", "@@", "-a", "+A"],
      /line 6:.*"a"/,
    ],
    ["lines that are not at the end", ["-a", "+A", "*** End of File"], /line 3/],
  ])("are refused with their line: %s", (_, lines, message) => {
    expect(() => put("a\nb\n", ...lines)).toThrow(message);
  });
});
