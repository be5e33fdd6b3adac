import { describe, expect, it } from "vitest";
import { LAYERS, layerFindings } from "./support/layers.ts";
import { codeFiles, readText } from "./support/repository.ts";

const sources = codeFiles("src");

describe("every source file", () => {
  it("is seen by this test", () => {
    expect(sources.length).toBeGreaterThan(0);
  });

  it.each(sources)("%s imports only layers below it", (file) => {
    expect(layerFindings(file, readText(file))).toEqual([]);
  });
});

describe("layerFindings", () => {
  it.each([
    ["a value import", 'import { run } from "../exec/index.ts";'],
    ["a type import", 'import type { Run } from "../exec/index.ts";'],
    ["an inline type import", 'import { type Run } from "../exec/index.ts";'],
    ["a side-effect import", 'import "../exec/index.ts";'],
    ["a dynamic import", 'await import("../exec/index.ts");'],
    ["a dynamic import of a template", "await import(`../exec/index.ts`);"],
    ["an import in type position", 'type Run = import("../exec/index.ts").Run;'],
    ["a re-export", 'export { run } from "../exec/index.ts";'],
    ["a type re-export", 'export type { Run } from "../exec/index.ts";'],
    ["a re-export of everything", 'export * from "../exec/index.ts";'],
    ["a require", 'require("../exec/index.ts");'],
  ])("refuses %s of a layer above", (_, text) => {
    expect(layerFindings("src/sandbox/launch.ts", text)).toEqual([
      "src/sandbox/launch.ts imports exec, which is not below it",
    ]);
  });

  it.each([
    ["a deep import", "src/exec/a.ts", 'import { a } from "../policy/access.ts";'],
    ["a deep index", "src/exec/a.ts", 'import { a } from "../sandbox/linux/index.ts";'],
    ["a computed import", "src/exec/a.ts", "await import(name);"],
    ["a file outside src", "src/exec/a.ts", 'import { a } from "../a.ts";'],
    ["cli", "src/app-server/a.ts", 'import { a } from "../cli/index.ts";'],
    ["a file directly in src", "src/a.ts", ""],
    ["an unknown layer", "src/stuff/a.ts", ""],
    ["node:path in policy", "src/policy/a.ts", 'import path from "node:path";'],
    ["the clock in policy", "src/policy/a.ts", "const now = Date.now();"],
    ["the environment in policy", "src/policy/a.ts", "const home = process.env.HOME;"],
    ["the environment by destructuring", "src/policy/a.ts", "const { env } = process;"],
    ["chance in policy", "src/policy/a.ts", "const n = Math.random();"],
    ["chance by another name", "src/policy/a.ts", 'import { randomUUID } from "node:crypto";'],
    ["files in policy", "src/policy/a.ts", 'import { rm } from "node:fs/promises";'],
    ["files in policy without the protocol", "src/policy/a.ts", 'import { rm } from "fs";'],
    ["a process in exec", "src/exec/a.ts", 'import { spawn } from "node:child_process";'],
    ["a socket library in mcp", "src/mcp/a.ts", 'import { WebSocket } from "ws";'],
    ["the format of skills in agent", "src/agent/a.ts", 'import { parse } from "yaml";'],
    ["a file format in cli", "src/cli/a.ts", 'import { parse } from "smol-toml";'],
  ])("refuses %s", (_, file, text) => {
    expect(layerFindings(file, text)).toHaveLength(1);
  });

  it.each([
    ["a layer below", "src/exec/a.ts", 'import { a } from "../policy/index.ts";'],
    ["a layer below from a subfolder", "src/exec/s/a.ts", 'import "../../policy/index.ts";'],
    ["its own files", "src/exec/s/a.ts", 'import { a } from "../output-log.ts";'],
    ["a digest in policy", "src/policy/a.ts", 'import { hash } from "node:crypto";'],
    ["a property called process", "src/policy/a.ts", "const n = rules.process;"],
    ["a comment on Date", "src/policy/a.ts", "// Date and process are not for us\nexport {};"],
    ["files in config", "src/config/a.ts", 'import { readFile } from "node:fs/promises";'],
  ])("accepts %s", (_, file, text) => {
    expect(layerFindings(file, text)).toEqual([]);
  });

  it("gives no layer a way to import cli", () => {
    expect(Object.values(LAYERS).flat()).not.toContain("cli");
  });
});
