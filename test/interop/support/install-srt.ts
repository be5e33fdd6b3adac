/**
 * Installs Anthropic's sandbox runtime and the Debian packages it calls, once per checkout.
 *
 * The package is a failure when it cannot be had. Its two programs are installed
 * only as root and with apt-get; without them the comparison says that it did not run.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LAB } from "./codex.ts";

export const SRT_VERSION = "0.0.83";

/** Run by a Node of version 22.12 or newer. */
export const SRT = path.join(LAB, "node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js");

const PROGRAMS = { socat: "socat", rg: "ripgrep" };

/** Runs before the interop tests. */
export function setup(): void {
  if (!existsSync(SRT)) installPackage();
  const missing = Object.entries(PROGRAMS).flatMap(([program, name]) =>
    spawnSync(program, ["--version"], { stdio: "ignore" }).error ? [name] : [],
  );
  if (missing.length > 0 && process.getuid?.() === 0) installPrograms(missing);
}

function installPackage(): void {
  const name = `@anthropic-ai/sandbox-runtime@${SRT_VERSION}`;
  mkdirSync(LAB, { recursive: true });
  const manifest = path.join(LAB, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  process.stdout.write(`installing ${name}\n`);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", name], {
    cwd: LAB,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function installPrograms(names: readonly string[]): void {
  process.stdout.write(`installing ${names.join(", ")}\n`);
  const flags = ["-qq", "-o", "DPkg::Lock::Timeout=60"];
  const install = ["install", "-y", "--no-install-recommends", ...names];
  for (const args of [["update"], install]) {
    spawnSync("apt-get", [...flags, ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: "ignore",
    });
  }
}
