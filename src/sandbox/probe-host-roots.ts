/**
 * Asks this host what the symbols of a profile mean on it.
 *
 * The environment is that of the process that enforces, handed in by name: a
 * command's own `TMPDIR` must never decide what it may write.
 */
import { statSync } from "node:fs";
import path from "node:path";
import {
  type AbsolutePath,
  type HostRoots,
  type HostSystem,
  PROTECTED_NAMES,
  parseAbsolutePath,
} from "../policy/index.ts";

/** What a program needs to start at all; those that exist make up `:minimal`. */
export const PLATFORM_DEFAULTS = [
  "/bin",
  "/sbin",
  "/usr",
  "/etc",
  "/lib",
  "/lib64",
  "/nix/store",
  "/run/current-system/sw",
];

export interface HostQuestion {
  readonly cwd: AbsolutePath;
  readonly workspaceRoots: readonly AbsolutePath[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly externalSandbox: HostRoots["externalSandbox"];
}

/** The roots of this host for a policy whose working directory is `cwd`. */
export function probeHostRoots(question: HostQuestion): HostRoots {
  const { cwd, workspaceRoots, env, platform, externalSandbox } = question;
  return {
    system: systemOf(platform),
    cwd,
    workspaceRoots,
    tmpdir: env.TMPDIR ? parseAbsolutePath(path.resolve(env.TMPDIR)) : undefined,
    slashTmp: isFolder("/tmp") ? parseAbsolutePath("/tmp") : undefined,
    platformDefaults: PLATFORM_DEFAULTS.filter(isFolder).map(parseAbsolutePath),
    protectedNames: PROTECTED_NAMES,
    externalSandbox,
  };
}

/** Which kind of paths a platform has; Windows has no back-end and is refused before this matters. */
export function systemOf(platform: string): HostSystem {
  return platform === "darwin" ? "macos" : "linux";
}

function isFolder(candidate: string): boolean {
  return statSync(candidate, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
