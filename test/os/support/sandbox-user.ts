/**
 * Runs the real `writ run` as root and as an ordinary user.
 *
 * The ordinary user gets a copy of the built program, since the checkout may
 * lie where nobody else can look. When the tests themselves run as an ordinary
 * user, that user is the only one.
 */
import { spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, onTestFinished } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../../..");
/** Not below /tmp, which the default policy opens. */
const BASE = "/var/tmp";
const ORDINARY = 65_534;

export type SandboxUser = "root" | "ordinary";

/** Everybody the tests can be. */
export const USERS: readonly SandboxUser[] =
  process.getuid?.() === 0 ? ["root", "ordinary"] : ["ordinary"];

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly workspace: string;
  /** Beside the workspace, where no policy lets a command write. */
  readonly outside: string;
  run(args: readonly string[]): Ran;
  /** A shell script under `--sandbox workspace-write`, or under the flags given. */
  sh(script: string, flags?: readonly string[]): Ran;
  /** The command line, for tests that start it themselves. */
  argv(args: readonly string[]): string[];
  readonly env: Readonly<Record<string, string>>;
  /** Hands all that lies there to the user; `run` does it by itself. */
  give(): void;
  /** Where the program itself lies. */
  readonly installed: string;
}

const installed = path.join(mkdtempSync(path.join(BASE, "writ-os-")), "writ");
for (const part of ["bin", "dist", "workers", "package.json"]) copy(part);
for (const name of packagesOf(path.join(ROOT, "package.json"))) copy(`node_modules/${name}`);
mkdirSync(path.join(installed, "node_modules/.bin"), { recursive: true });
cpSync(process.execPath, path.join(installed, "node_modules/.bin/node"));
afterAll(() => rmSync(path.dirname(installed), { recursive: true, force: true }));
spawnSync("chmod", ["-R", "a+rX", path.dirname(installed)]);

/** All that the program needs, each with those of its own scope. */
function packagesOf(file: string): Set<string> {
  const { dependencies }: { dependencies: object } = JSON.parse(readFileSync(file, "utf8"));
  return new Set(Object.keys(dependencies).map((name) => name.replace(/\/.*/, "")));
}

function copy(part: string): void {
  cpSync(path.join(ROOT, part), path.join(installed, part), { recursive: true, dereference: true });
}

/** A workspace owned by the user, for one test unless it is said when it ends. */
export function placeFor(
  user: SandboxUser,
  finished: (end: () => void) => void = onTestFinished,
): Place {
  const base = mkdtempSync(path.join(BASE, "writ-place-"));
  finished(() => rmSync(base, { recursive: true, force: true }));
  const [workspace, outside, home] = ["ws", "outside", "home"].map((name) => path.join(base, name));
  if (!workspace || !outside || !home) throw new Error("Cannot lay out the test");
  for (const folder of [base, workspace, outside, home]) own(folder, user);
  const env = { PATH: "/usr/bin:/bin", HOME: home, WRIT_HOME: path.join(home, ".writ") };
  const argv = (args: readonly string[]) => [
    ...asUser(user),
    path.join(installed, "bin/writ"),
    ...args,
  ];
  const give = () => giveAll(base, user);
  const run = (args: readonly string[]): Ran => {
    const [program = "", ...rest] = argv(args);
    give();
    return spawnSync(program, rest, { cwd: workspace, env, encoding: "utf8", timeout: 60_000 });
  };
  const sh = (script: string, flags: readonly string[] = ["--sandbox", "workspace-write"]) =>
    run(["run", ...flags, "--", "/bin/sh", "-c", script]);
  return { workspace, outside, run, sh, argv, env, give, installed };
}

function own(folder: string, user: SandboxUser): void {
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0 && user === "ordinary") chownSync(folder, ORDINARY, ORDINARY);
}

/** What a test laid out belongs to the user it is for. */
function giveAll(folder: string, user: SandboxUser): void {
  if (process.getuid?.() !== 0 || user === "root") return;
  spawnSync("chown", ["-R", `${ORDINARY}:${ORDINARY}`, folder]);
}

function asUser(user: SandboxUser): string[] {
  if (process.getuid?.() !== 0 || user === "root") return [];
  const id = String(ORDINARY);
  return ["/usr/bin/setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"];
}
