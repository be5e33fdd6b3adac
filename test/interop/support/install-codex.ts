/** Installs the third-party programs that interop tests meet, once per checkout. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CODEX, CODEX_VERSION, LAB } from "./codex.ts";

/** Runs before the interop tests. A program that cannot be had is a failure, not a skip. */
export function setup(): void {
  if (existsSync(CODEX)) return;
  mkdirSync(LAB, { recursive: true });
  writeFileSync(path.join(LAB, "package.json"), '{ "private": true }\n');
  process.stdout.write(`installing @openai/codex@${CODEX_VERSION}\n`);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", `@openai/codex@${CODEX_VERSION}`], {
    cwd: LAB,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
