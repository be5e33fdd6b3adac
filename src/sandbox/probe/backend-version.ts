import { spawnSync } from "node:child_process";
import fs from "node:fs";
import type { LaunchPlan } from "../launch-plan.ts";

const TIMEOUT_MS = 5000;
const known = new Map<string, string>();

/** What confines a command of this plan, with its version; asked once. */
export function backendVersion({ tier, argv: [program] }: LaunchPlan): string {
  if (tier !== "namespaces") return program;
  const asked = known.get(program) ?? ask(program);
  known.set(program, asked);
  return asked;
}

/** It carries its name and version as text; to start it only for that would cost more than to look. */
function ask(program: string): string {
  const [, written] = /\0(bubblewrap \d+(?:\.\d+)*)\0/.exec(textOf(program)) ?? [];
  if (written !== undefined) return written;
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: TIMEOUT_MS });
  return stdout?.trim() || `${program}, version unknown`;
}

function textOf(program: string): string {
  try {
    return fs.readFileSync(program, "latin1");
  } catch {
    return "";
  }
}
