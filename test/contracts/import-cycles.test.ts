import { describe, expect, it } from "vitest";
import { cyclesIn, importGraph } from "./support/import-graph.ts";
import { codeFiles, readText } from "./support/repository.ts";

describe("the source files", () => {
  it("import each other without a cycle", () => {
    const texts = new Map(codeFiles("src").map((file) => [file, readText(file)]));
    expect(texts.size).toBeGreaterThan(0);
    expect(cyclesIn(importGraph(texts))).toEqual([]);
  });
});

describe("cyclesIn", () => {
  const graph = (texts: Record<string, string>) => importGraph(new Map(Object.entries(texts)));

  it("reports a cycle of type imports across folders", () => {
    const found = cyclesIn(
      graph({
        "src/policy/index.ts": 'export { a } from "./a.ts";',
        "src/policy/a.ts": 'import type { B } from "./deep/b.ts"; export const a = 1;',
        "src/policy/deep/b.ts": 'export type B = import("../a.ts").A;',
      }),
    );
    expect(found).toEqual(["src/policy/a.ts -> src/policy/deep/b.ts -> src/policy/a.ts"]);
  });

  it("reports a file that imports its own index", () => {
    const texts = {
      "src/rpc/index.ts": 'export * from "./peer.ts";',
      "src/rpc/peer.ts": 'import { router } from "./index.ts";',
    };
    expect(cyclesIn(graph(texts))).toHaveLength(1);
  });

  it("accepts two roads to one file", () => {
    const texts = {
      "src/rpc/a.ts": 'import "./b.ts"; import "./c.ts";',
      "src/rpc/b.ts": 'import "./d.ts";',
      "src/rpc/c.ts": 'import "./d.ts";',
      "src/rpc/d.ts": "export {};",
    };
    expect(cyclesIn(graph(texts))).toEqual([]);
  });
});
