/** Attempts on files in one run, the state of the disk before and after, and runs with a receipt. */
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Receipt } from "../../../src/sandbox/receipt/receipt.ts";
import type { Place, Ran } from "./sandbox-user.ts";

/** A script that makes every attempt for itself and says which ones did not fail. */
export function attempts(lines: readonly string[]): string {
  const tries = lines.map((line) => `try '${line.replaceAll("'", "'\\''")}'`);
  return `try() { ( eval "$1" ) >/dev/null 2>&1 && echo "worked: $1"; }\n${tries.join("\n")}`;
}

/** Every path below a folder with its kind, its mode and what it holds, of something large its digest. */
export function treeOf(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${name} ${stateOf(path.join(folder, name))}`)
    .toSorted();
}

const LARGE = 4096;

function stateOf(file: string): string {
  const found = fs.lstatSync(file);
  const mode = (found.mode & 0o7777).toString(8);
  if (found.isSymbolicLink()) return `-> ${fs.readlinkSync(file)}`;
  if (!found.isFile()) return `${mode} d`;
  const bytes = fs.readFileSync(file);
  return `${mode} ${bytes.length > LARGE ? hash("sha256", bytes) : JSON.stringify(String(bytes))}`;
}

/** Lays out files below a folder; a name that ends in a slash is a folder. */
export function layOut(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(name.endsWith("/") ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith("/")) fs.writeFileSync(file, text);
  }
}

export interface Told extends Ran {
  readonly receipt: Receipt;
}

/** Writes to the workspace alone: a receipt tells what is new wherever a command may write, and /tmp is full of others' files. */
export const WORKSPACE_ALONE: readonly string[] = [
  "--sandbox-policy",
  JSON.stringify({ type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true }),
];

/** Runs a script and reads the receipt; `env` is put over that of the place. */
export function told(
  place: Place,
  script: string,
  {
    flags = WORKSPACE_ALONE,
    env = {},
  }: { flags?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Told {
  const file = path.join(place.outside, `receipt-${fs.readdirSync(place.outside).length}.json`);
  const command = ["run", ...flags, "--receipt", file, "--", "/bin/sh", "-c", script];
  const ran = runWith(place, command, env);
  return { ...ran, receipt: Receipt.parse(JSON.parse(fs.readFileSync(file, "utf8"))) };
}

/** As `place.run`, with variables of its own for writ itself. */
export function runWith(
  place: Place,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Ran {
  const [program = "", ...rest] = place.argv(args);
  place.give();
  return spawnSync(program, rest, {
    cwd: place.workspace,
    env: { ...place.env, ...env },
    encoding: "utf8",
    timeout: 60_000,
    maxBuffer: 64 << 20,
  });
}
