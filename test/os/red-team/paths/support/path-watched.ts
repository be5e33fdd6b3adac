/** A command that lives while the host changes something, and says what it came to see. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { Place } from "../../../support/sandbox-user.ts";

export interface Watched {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longer than any test lasts: who gets here was not ended. */
const FOREVER = "sleep 60; echo lived";

/** Starts a command, does `work` on the host once it runs, and waits for its end. */
export async function whileRunning(
  place: Place,
  { flags, script = FOREVER }: { flags: readonly string[]; script?: string },
  work: (writ: number | undefined) => void,
): Promise<Watched> {
  const ready = path.join(place.workspace, "ready");
  const command = ["/bin/sh", "-c", `touch ready; ${script}`];
  const [program = "", ...args] = place.argv(["run", ...flags, "--", ...command]);
  const child = spawn(program, args, { cwd: place.workspace, env: place.env });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk) => {
      printed[name] += chunk;
    });
  }
  const over = once(child, "close");
  await expect
    .poll(() => fs.existsSync(ready) || child.exitCode !== null, { interval: 10 })
    .toBe(true);
  work(child.pid);
  const [status] = await over;
  return { status, ...printed };
}
