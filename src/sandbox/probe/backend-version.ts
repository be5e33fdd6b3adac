import { spawnSync } from "node:child_process";
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

function ask(program: string): string {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: TIMEOUT_MS });
  return stdout?.trim() || `${program}, version unknown`;
}
