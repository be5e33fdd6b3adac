/**
 * Starts peers with `/bin/true` under a policy like workspace-write.
 *
 * The interop tests install them (`npm run test:interop`). What is not there is
 * not measured: the functions then give nothing back.
 */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  policyForMode,
  profileOfPolicy,
  uriOfNative,
  writeSandboxState,
} from "../src/policy/index.ts";

/** Runs the peer once, to its end; throws when it did not run the command. */
export type Start = () => void;

const LAB = path.resolve(import.meta.dirname, "../.cache/interop/node_modules");
const CODEX = path.join(LAB, ".bin/codex");
const SRT = path.join(LAB, "@anthropic-ai/sandbox-runtime/dist/cli.js");

/** `codex sandbox`, with the sandbox state that a client sends for workspace-write. */
export function startCodex(workspace: string, home: string): Start | undefined {
  if (!existsSync(CODEX)) return undefined;
  const state = writeSandboxState(
    {
      generation: "G3",
      profile: profileOfPolicy(policyForMode("workspace-write")),
      cwd: uriOfNative(workspace),
      codexLinuxSandboxExe: null,
      useLegacyLandlock: false,
    },
    "refuse",
  );
  const args = ["sandbox", "--sandbox-state-json", JSON.stringify(state), "--", "/bin/true"];
  return () => start([CODEX, ...args], workspace, { HOME: home, CODEX_HOME: home });
}

/** `srt`, with the workspace and `/tmp` writable and no network. It needs two programs more. */
export function startSrt(workspace: string, home: string): Start | undefined {
  if (!existsSync(SRT) || !["socat", "rg"].every(isOnPath)) return undefined;
  const settings = path.join(home, "srt-settings.json");
  const kept = [".git", ".codex", ".agents"].map((name) => path.join(workspace, name));
  writeFileSync(
    settings,
    JSON.stringify({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: {
        denyRead: [],
        allowRead: [],
        allowWrite: [workspace, "/tmp"],
        denyWrite: kept,
      },
    }),
  );
  const command = [process.execPath, SRT, "--settings", settings, "--", "/bin/true"];
  return () => start(command, workspace, { HOME: home });
}

function isOnPath(program: string): boolean {
  return spawnSync(program, ["-h"], { stdio: "ignore" }).error === undefined;
}

function start(argv: readonly string[], cwd: string, more: Record<string, string>): void {
  const [program = "", ...args] = argv;
  const env = { PATH: process.env.PATH ?? "", ...more };
  const { status } = spawnSync(program, args, { cwd, env, stdio: "ignore" });
  if (status !== 0) throw new Error(`Cannot compare: "${program}" exited with ${status}`);
}
