/** Installs the MCP programs of other people that interop tests meet, once per checkout. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LAB } from "./codex.ts";

/** Apart from the other programs: each has its own idea of what it depends on. */
export const MCP_LAB = path.join(LAB, "mcp");

const PACKAGES = {
  sdk: "1.32.2",
  "server-filesystem": "2026.8.31",
  "server-memory": "2026.8.31",
  "server-everything": "2026.8.31",
  conformance: "0.1.16",
};

/** The folder of one of the packages of `@modelcontextprotocol`. */
export function mcpPackage(name: keyof typeof PACKAGES): string {
  return path.join(MCP_LAB, "node_modules/@modelcontextprotocol", name);
}

/** Runs before the interop tests. A program that cannot be had is a failure, not a skip. */
export function setup(): void {
  const names = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const done = path.join(MCP_LAB, "installed");
  const wanted = `${names.join("\n")}\n`;
  if (existsSync(done) && readFileSync(done, "utf8") === wanted) return;
  mkdirSync(MCP_LAB, { recursive: true });
  writeFileSync(path.join(MCP_LAB, "package.json"), '{ "private": true }\n');
  process.stdout.write(`installing ${names.join(", ")} of @modelcontextprotocol\n`);
  const packages = names.map((name) => `@modelcontextprotocol/${name}`);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], {
    cwd: MCP_LAB,
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(done, wanted);
}
