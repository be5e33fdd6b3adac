import { describe, expect, it } from "vitest";
import type { OutputItem } from "../../../../src/mcp/repl/output/output-item.ts";
import { PlotNumbers } from "../../../../src/mcp/repl/output/plot-numbers.ts";
import { Timeline } from "../../../../src/mcp/repl/output/timeline.ts";

describe("what a session remembers", () => {
  it("is the names of the newest pictures, however many there are", () => {
    const plots = new PlotNumbers();
    for (let count = 1; count <= 1001; count++)
      plots.number({ isUpdate: false, source: `${count}` });
    expect(plots.number({ isUpdate: true, source: "2" })).toEqual({ plot: 2, isForeign: false });
    expect(plots.number({ isUpdate: true, source: "1" })).toEqual({ plot: 1002, isForeign: true });
  });

  it("is no input without text", () => {
    const items: OutputItem[] = [];
    const retention = { headChars: 10, tailChars: 10, imageBytes: 10 };
    const timeline = new Timeline({ retention, record: (item) => void items.push(item) });
    for (const text of ["", "x", ""]) timeline.add({ kind: "echo", text });
    expect(items).toEqual([{ kind: "echo", text: "x" }]);
  });
});
