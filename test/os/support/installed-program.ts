/**
 * The built program where every user can start it, since the checkout may lie where nobody else can look.
 *
 * One copy serves all files of a run: each is 160 MB. Nothing may change it; a test that has to
 * makes one of its own with `installProgram`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { sweepRecords } from "../../support/records-for.ts";
import { USERS } from "./users.ts";
import { warmStarts } from "./warm-starts.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the program lies that all tests start. */
    readonly installedProgram: string;
  }
}

const ROOT = path.resolve(import.meta.dirname, "../../..");
const PARTS = ["bin", "dist", "workers", "package.json"];

/** Runs once, before the tests of a project. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const more = USERS.includes("ordinary") ? "" : " alone; WRIT_TEST_USERS=every tries both";
  process.stdout.write(`sandboxes: as ${USERS.join(" and ")}${more}\n`);
  // Not below /tmp, which the default policy opens.
  const folder = mkdtempSync("/var/tmp/writ-os-");
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const installed = installProgram(folder);
    // What it needs for that is large, and every test loads this file.
    const { bundlePrograms } = await import("./bundle-programs.ts");
    await bundlePrograms(installed);
    await warmStarts(installed);
    provide("installedProgram", installed);
  } catch (error) {
    remove();
    throw error;
  }
  return () => {
    remove();
    sweepRecords();
  };
}

/** A copy in the folder, with Node.js and all packages it can load; says where it is. */
export function installProgram(folder: string): string {
  const installed = path.join(folder, "writ");
  for (const part of PARTS) copy(part, installed);
  for (const name of packages()) copy(`node_modules/${name}`, installed);
  mkdirSync(path.join(installed, "node_modules/.bin"), { recursive: true });
  cpSync(process.execPath, path.join(installed, "node_modules/.bin/node"));
  spawnSync("chmod", ["-R", "a+rX", folder]);
  return installed;
}

function copy(part: string, to: string): void {
  cpSync(path.join(ROOT, part), path.join(to, part), { recursive: true, dereference: true });
}

interface Manifest {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
}

/** What the program depends on, and what that depends on. */
function packages(): Set<string> {
  const found = new Set(dependenciesOf(ROOT));
  for (const name of found) {
    for (const other of dependenciesOf(path.join(ROOT, "node_modules", name))) found.add(other);
  }
  return found;
}

/** Those that are there: a package for another system is not. */
function dependenciesOf(folder: string): string[] {
  const manifest: Manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  return names.filter((name) => existsSync(path.join(ROOT, "node_modules", name)));
}
