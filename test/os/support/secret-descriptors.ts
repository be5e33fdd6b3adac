/** Starts `writ run` from a process that has many descriptors open, with pipes or with a terminal. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { Place } from "./sandbox-user.ts";

/** What the script prints when writ was started with descriptors of these numbers on a secret file. */
export async function runWithOpen(
  place: Place,
  numbers: readonly number[],
  { script, flags }: { readonly script: string; readonly flags: readonly string[] },
): Promise<string> {
  const secret = path.join(place.outside, "descriptor-canary");
  fs.writeFileSync(secret, "descriptor-canary");
  fs.chmodSync(secret, 0o666);
  const fd = fs.openSync(secret, "r+");
  const [program = "", ...args] = place.argv(["run", ...flags, "--", "/bin/sh", "-c", script]);
  // Node closes those that follow one another by itself, and stops at the first gap.
  const more = Array.from({ length: Math.max(...numbers) - 2 }, (_, index) =>
    numbers.includes(index + 3) ? fd : ("ignore" as const),
  );
  const { workspace, env } = place;
  const child = spawn(program, args, {
    cwd: workspace,
    env,
    stdio: ["ignore", "pipe", "pipe", ...more],
  });
  fs.closeSync(fd);
  if (child.stdout === null) throw new Error("Cannot read what the command prints");
  child.stderr?.resume();
  return text(child.stdout);
}
