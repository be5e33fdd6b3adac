import { describe, expect, it } from "vitest";
import { codeFiles, readText } from "./support/repository.ts";
import { suppressionFindings, unrunFindings } from "./support/suppressions.ts";

describe("the code", () => {
  it("silences no checker", () => {
    const files = codeFiles("src", "test", "bench", "examples", "tools");
    expect(files.flatMap((file) => suppressionFindings(file, readText(file)))).toEqual([]);
  });

  it("leaves no test out", () => {
    const files = codeFiles("test");
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => unrunFindings(file, readText(file)))).toEqual([]);
  });
});

describe("suppressionFindings", () => {
  it.each([
    ["a cast", "const a = b as any;"],
    ["a cast in brackets", "const a = <any>b;"],
    ["a nested any", "const a = b as Record<string, any>;"],
    ["an ignored line", "// @ts-ignore\nconst a = 1;"],
    ["an unchecked file", "// @ts-nocheck\nconst a = 1;"],
    ["an expected error", "// @ts-expect-error it is wrong\nconst a = 1;"],
    ["a lint rule without a reason", "// biome-ignore lint/suspicious/noExplicitAny:\nf();"],
    ["a placeholder as reason", "// biome-ignore lint/style/useConst: <explanation>\nf();"],
  ])("reports %s", (_, text) => {
    expect(suppressionFindings("src/rpc/a.ts", text)).toHaveLength(1);
  });

  it.each([
    ["a reason", "src/rpc/a.ts", "// biome-ignore lint/style/useConst: set in the callback\nf();"],
    ["a type test", "test/rpc/handler-types.test.ts", "// @ts-expect-error no handler\nf();"],
    ["the words in a string", "src/rpc/a.ts", 'f("ä // @ts-ignore", `as any`);'],
  ])("accepts %s", (_, file, text) => {
    expect(suppressionFindings(file, text)).toEqual([]);
  });
});

describe("unrunFindings", () => {
  it.each([
    'it.only("runs", () => {});',
    'describe.skip("planLinux", () => {});',
    'it.todo("runs");',
    'it.skipIf(process.platform === "linux")("runs", () => {});',
    'it.runIf(hasBwrap)("runs", () => {});',
    'test.concurrent.skip("runs", () => {});',
    'it("runs", { skip: true }, () => {});',
    'it("runs", (context) => context.skip());',
  ])("reports %s", (text) => {
    expect(unrunFindings("test/rpc/a.test.ts", text)).toHaveLength(1);
  });

  it("accepts a test that runs", () => {
    const text =
      'it.each([1])("skips %i", { timeout: 1 }, (n) => { expect(skip(n)).toBe(".skip("); });';
    expect(unrunFindings("test/rpc/a.test.ts", text)).toEqual([]);
  });
});
