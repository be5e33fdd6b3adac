/** The bubblewrap call inside a plan, as a person would type it: the same mounts by path, nothing else. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import {
  bindProfile,
  parseAbsolutePath,
  policyForMode,
  profileOfPolicy,
} from "../src/policy/index.ts";
import {
  type LaunchPlan,
  planOnHost,
  probeHostRoots,
  recordsFolder,
} from "../src/sandbox/index.ts";
import { libc, loadLibc } from "../src/sandbox/native/libc.ts";
import { spawnNatively } from "../src/sandbox/native/spawn-natively.ts";

/** A plan for `/bin/true` under workspace-write. */
export function planTrue(workspace: string): Promise<LaunchPlan> {
  const cwd = parseAbsolutePath(workspace);
  const host = probeHostRoots({
    cwd,
    workspaceRoots: [cwd],
    env: {},
    platform: process.platform,
    externalSandbox: "absent",
  });
  const profile = bindProfile(profileOfPolicy(policyForMode("workspace-write")), host);
  return planOnHost(
    { command: ["/bin/true"], cwd, env: {}, profile, terminal: "none" },
    { hidden: [], readOnly: [recordsFolder()] },
  );
}

/** Without filter and status, with paths in the place of descriptors. */
export function bareArgs(plan: LaunchPlan): string[] {
  const [, ...args] = plan.argv;
  const plain: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? "";
    if (["--seccomp", "--json-status-fd", "--block-fd", "--args"].includes(word)) index += 1;
    else if (/^--(ro-)?bind-fd$/.test(word)) {
      const place = args[index + 2] ?? "";
      plain.push(word.replace("-fd", ""), place, place);
      index += 2;
    } else plain.push(word);
  }
  return plain;
}

/** Makes the plan's placeholders; what is returned takes them away again. */
export function makePlaceholders({ placeholders }: LaunchPlan): () => void {
  const made = placeholders.filter(({ path }) => !existsSync(path));
  for (const { path, kind } of made) {
    if (kind === "folder") mkdirSync(path);
    else writeFileSync(path, "");
  }
  return () => {
    for (const { path } of made) rmSync(path, { recursive: true });
  };
}

/** How long the bare call takes. Only the start and end of the process count; its placeholders are made before. */
export function timeBare(plan: LaunchPlan): number {
  const clean = makePlaceholders(plan);
  const args = bareArgs(plan);
  const begin = performance.now();
  const { status } = spawnSync(plan.argv[0], args, { cwd: plan.cwd, env: {}, stdio: "ignore" });
  const took = performance.now() - begin;
  clean();
  if (status !== 0) throw new Error("Cannot compare: the bare call failed");
  return took;
}

/** The same, started as writ starts it: without a copy of this process, which is part of what Node's way takes. */
export async function timeBareNatively(plan: LaunchPlan): Promise<number> {
  await loadLibc();
  const library = libc();
  if (library === undefined) throw new Error("Cannot compare: koffi is not installed");
  const clean = makePlaceholders(plan);
  const stdio = ["ignore", "ignore", "ignore"] as const;
  const start = { program: plan.argv[0], args: bareArgs(plan), cwd: plan.cwd, env: {}, stdio };
  const begin = performance.now();
  const child = spawnNatively(library, { ...start, detached: false });
  const code = await new Promise((resolve) => child?.once("exit", resolve));
  const took = performance.now() - begin;
  clean();
  if (code !== 0) throw new Error("Cannot compare: the bare call failed");
  return took;
}
