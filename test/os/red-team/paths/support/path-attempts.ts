/**
 * Attempts on paths, all in one run, each for itself and with a name of its own.
 *
 * What worked is told by the run; what came of it is asked of the host, down to
 * the time of the last change, which shows a new link or attribute as well.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Place, Ran } from "../../../support/sandbox-user.ts";

/** Shell commands by the name they go under. */
export type Attempts = Readonly<Record<string, string>>;

/** Runs all attempts under the flags; the names of those that worked. */
export function whatWorks(place: Place, tries: Attempts, flags: readonly string[]): string[] {
  const lines = Object.entries(tries).map(([name, line]) => `try ${quoted(name)} ${quoted(line)}`);
  const script = `try() { ( eval "$2" ) >/dev/null 2>&1 </dev/null && echo "$1"; }\n${lines.join("\n")}`;
  const ran = runAsIs(place, ["run", ...flags, "--", "/bin/sh", "-c", `${script}\ntrue`]);
  if (ran.status !== 0) throw new Error(`The attempts ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout.split("\n").filter(Boolean);
}

/** As `place.run`, but nothing on the disk is touched before. */
export function runAsIs(place: Place, args: readonly string[], env = {}): Ran {
  const [program = "", ...rest] = place.argv(args);
  return spawnSync(program, rest, {
    cwd: place.workspace,
    env: { ...place.env, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
}

/** A perl program as a shell command; it worked when it ended with `exit 0`. */
export function perl(code: string): string {
  return `perl -MFcntl=:DEFAULT,:mode -e ${quoted(code)}`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Everything that the host knows of a folder and of what is in it. */
export function stateOf(folder: string): string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return ["", ...names].toSorted().map((name) => {
    const file = path.join(folder, name);
    const { mode, uid, nlink, mtimeNs, ctimeNs } = fs.lstatSync(file, { bigint: true });
    const text = S_IFREG === (Number(mode) & S_IFMT) ? fs.readFileSync(file, "utf8") : "";
    return [name, mode.toString(8), uid, nlink, mtimeNs, ctimeNs, text].join(" ");
  });
}

const { S_IFMT, S_IFREG } = fs.constants;
