/** Installs the AI SDK and the providers that drive an app-server, once per checkout. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LAB } from "./codex.ts";

/** Apart from the other programs: each has its own idea of what it depends on. */
export const AI_LAB = path.join(LAB, "ai");

const PACKAGES = {
  ai: "7.0.169",
  "ai-sdk-provider-codex-app-server": "1.1.7",
  "ai-sdk-provider-codex-cli": "2.2.1",
};

/** Runs before the interop tests. A package that cannot be had is a failure, not a skip. */
export function setup(): void {
  const names = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const done = path.join(AI_LAB, "installed");
  const wanted = `${names.join("\n")}\n`;
  if (existsSync(done) && readFileSync(done, "utf8") === wanted) return;
  mkdirSync(AI_LAB, { recursive: true });
  writeFileSync(path.join(AI_LAB, "package.json"), '{ "private": true }\n');
  process.stdout.write(`installing ${names.join(", ")}\n`);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...names], {
    cwd: AI_LAB,
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(done, wanted);
}
