/** Where the real Codex is, and how to ask its sandbox a question. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";

export const CODEX_VERSION = "0.166.0";

/** Not below a temporary folder: policies open those, which would hide what is being tested. */
export const LAB = path.resolve(import.meta.dirname, "../../../.cache/interop");

export const CODEX = path.join(LAB, "node_modules/.bin/codex");

/** A folder for one test, outside every default-writable root. */
export function labFolder(): string {
  mkdirSync(LAB, { recursive: true });
  const folder = mkdtempSync(path.join(LAB, "test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, "home"));
  return folder;
}

export interface OracleAnswer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command under Codex's own sandbox for a given sandbox state. */
export function codexSandbox(state: unknown, argv: readonly string[], home: string): OracleAnswer {
  const { status, stdout, stderr } = spawnSync(
    CODEX,
    [
      ...["sandbox", "--sandbox-state-json", JSON.stringify(state)],
      ...["--sandbox-state-readable-root", path.join(home, "tmp")],
      ...["--sandbox-state-readable-root", path.join(LAB, "node_modules/@openai")],
      "--",
      ...argv,
    ],
    { env: codexEnv(home), encoding: "utf8", timeout: 60_000 },
  );
  return { status, stdout, stderr };
}

/** As little of this process's environment as Codex needs. */
export function codexEnv(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, CODEX_HOME: home, RUST_LOG: "error" };
}
