import { describe, expect, it } from "vitest";
import { codeFiles, readText } from "./support/repository.ts";
import {
  emptyWordFindings,
  exportFindings,
  fileNameFindings,
  folderFindings,
  sizeFindings,
} from "./support/sizes-and-names.ts";

const sources = codeFiles("src");
const everything = codeFiles("src", "test", "bench", "examples", "tools");
const findings = (files: string[], rule: (file: string, text: string) => string[]) =>
  files.flatMap((file) => rule(file, readText(file)));

describe("the code", () => {
  it("is seen by this test", () => {
    expect(sources.length).toBeGreaterThan(0);
  });

  it("keeps files short", () => {
    expect(findings(everything, sizeFindings)).toEqual([]);
  });

  it("keeps folders small", () => {
    expect(folderFindings(sources)).toEqual([]);
  });

  it("exports few names per file", () => {
    expect(findings(sources, exportFindings)).toEqual([]);
  });

  it("names files after what they export", () => {
    expect(findings(sources, fileNameFindings)).toEqual([]);
  });

  it("names files and types by what they are", () => {
    expect(findings(everything, emptyWordFindings)).toEqual([]);
  });
});

describe("the rules", () => {
  const lines = (count: number) => "//\n".repeat(count);

  it("report a file that is one line too long", () => {
    expect(sizeFindings("src/rpc/a.ts", lines(301))).toHaveLength(1);
    expect(sizeFindings("src/rpc/a.ts", lines(300))).toEqual([]);
    expect(sizeFindings("test/rpc/a.test.ts", lines(401))).toHaveLength(1);
    expect(sizeFindings("test/rpc/a.test.ts", lines(400))).toEqual([]);
  });

  it("report a folder that is one file too big", () => {
    const files = Array.from({ length: 17 }, (_, index) => `src/rpc/f${index}.ts`);
    expect(folderFindings(files)).toHaveLength(1);
    expect(folderFindings(files.slice(1))).toEqual([]);
  });

  it("report a sixth export, in any form", () => {
    const five = `
      export const A = 1; export type A = number;
      export function b(x: string): void; export function b(x: unknown) {}
      export class C {}
      const d = 1; export { d };
      export interface E {}`;
    expect(exportFindings("src/rpc/a.ts", five)).toEqual([]);
    for (const sixth of ["export const { f } = x;", "export { f } from './f.ts';"]) {
      expect(exportFindings("src/rpc/a.ts", `${five}\n${sixth}`)).toHaveLength(1);
      expect(exportFindings("src/rpc/index.ts", `${five}\n${sixth}`)).toEqual([]);
    }
  });

  it("report a re-export of everything, even in an index", () => {
    expect(exportFindings("src/rpc/index.ts", 'export * from "./a.ts";')).toHaveLength(1);
  });

  it.each([
    ["src/sandbox/plan-linux.ts", "export function planLinux() {}", 0],
    ["src/exec/protocol/process.ts", "export const processMethods = {};", 0],
    ["src/mcp/sandbox-meta.ts", "export const SANDBOX_META_KEY = 1;", 0],
    ["src/rpc/json-rpc-2.ts", "export const jsonRpc2 = 1;", 0],
    ["src/rpc/index.ts", "export {};", 0],
    ["src/cli/main.ts", "export {};", 0],
    ["src/rpc/pro.ts", "export const processMethods = {};", 1],
    ["src/rpc/peer.ts", "export class Router {}", 1],
    ["src/rpc/peer.ts", "", 1],
  ])("%s with %j has %i findings on its name", (file, text, count) => {
    expect(fileNameFindings(file, text)).toHaveLength(count);
  });

  it.each([
    ["src/rpc/path-utils.ts", "", 1],
    ["src/shared/path.ts", "", 1],
    ["src/rpc/peer.ts", "export class PeerManager {}", 1],
    ["src/rpc/peer.ts", "export type PeerInfo = 1;", 1],
    ["src/rpc/peer.ts", "export interface Database {}", 0],
    ["src/rpc/peer.ts", "export const readData = 1;", 0],
  ])("%s with %j has %i empty words", (file, text, count) => {
    expect(emptyWordFindings(file, text)).toHaveLength(count);
  });
});
