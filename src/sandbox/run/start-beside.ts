import type { ChildProcessByStdio } from "node:child_process";
import fs from "node:fs";
import type { Writable } from "node:stream";
import { spawnWhole } from "../files/lack-of-files.ts";
import { inheritedFrom, shadowsOf } from "./inherited-from.ts";

export type ProgramBeside = ChildProcessByStdio<Writable, null, null>;

/**
 * Starts a shell script that reads what it is to do from a pipe of ours, and ends when that ends.
 *
 * In a session of its own, so that a signal to ours does not end it, and with nothing of ours open:
 * it lives long, and a terminal that it got by accident would never end. Nobody waits for it.
 */
export function startBeside(script: string): ProgramBeside {
  const nothing = fs.openSync("/dev/null", "r+");
  try {
    const standard = ["pipe", "ignore", "ignore"] as const;
    const shadows = shadowsOf(inheritedFrom(standard.length), standard.length, nothing);
    const child = spawnWhole("/bin/sh", ["-c", script], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: [...standard, ...shadows],
      detached: true,
    }) as ProgramBeside;
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.unref();
    (child.stdin as unknown as { unref?: () => void }).unref?.();
    return child;
  } finally {
    fs.closeSync(nothing);
  }
}
