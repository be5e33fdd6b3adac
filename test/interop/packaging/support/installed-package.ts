/**
 * The package as npm installs it from its tarball, in a project that has nothing else.
 *
 * Programs are found as a person finds them: by npx, with the Node of this machine on
 * the PATH and not the one of the checkout.
 */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
/** Not below /tmp, which policies open. */
const BASE = "/var/tmp";
const PATIENCE_MS = 600_000;
/** What a person who writes TypeScript has besides. */
const TOOLS = ["typescript@7.0.2", "@types/node@24"];

export type Ended = Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">;

export interface InstalledPackage {
  readonly project: string;
  /** Beside the project, where no policy lets a command write. */
  readonly outside: string;
  readonly env: Readonly<Record<string, string>>;
  /** A program of the project, with what it reads. */
  npx(args: readonly string[], input?: string): Ended;
  npmInstall(...names: readonly string[]): void;
  remove(): void;
}

/** Packs what is built, and installs it. */
export function installPackage(): InstalledPackage {
  const base = mkdtempSync(path.join(BASE, "writ-installed-"));
  const [project, outside, home] = ["project", "outside", "home"].map((name) => {
    mkdirSync(path.join(base, name));
    return path.join(base, name);
  });
  if (!project || !outside || !home) throw new Error("Cannot lay out the test");
  const env = { PATH: pathOfMachine(), HOME: home, npm_config_update_notifier: "false" };
  const npmInstall = (...names: readonly string[]) => {
    const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    // With the home of whoever runs the tests, for its settings and its cache.
    mustRun("npm", ["install", ...flags, ...names], { cwd: project, env: ownEnvironment() });
  };
  mustRun("npm", ["pack", "--ignore-scripts", "--pack-destination", base], {
    cwd: ROOT,
    env: ownEnvironment(),
  });
  const tarball = readdirSync(base).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(path.join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  npmInstall(path.join(base, tarball), ...TOOLS);
  cpSync(path.join(import.meta.dirname, "consumer.ts"), path.join(project, "consumer.ts"));
  return {
    ...{ project, outside, env, npmInstall },
    npx: (args, input = "") => run("npx", args, { cwd: project, env, input }),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** What the scripts of this checkout put before it is left out. */
function pathOfMachine(): string {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders.filter((folder) => !folder.includes("node_modules")).join(path.delimiter);
}

/** Without what an npm that runs these tests says to the programs that it starts. */
function ownEnvironment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  return { ...Object.fromEntries(own), PATH: pathOfMachine() };
}

interface Where {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

function run(program: string, args: readonly string[], where: Where): Ended {
  return spawnSync(program, args, { ...where, encoding: "utf8", timeout: PATIENCE_MS });
}

function mustRun(program: string, args: readonly string[], where: Where): void {
  const { status, stdout, stderr } = run(program, args, where);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${status}\n${stdout}${stderr}`);
}
