/** One trick on one sandbox: how it is run, and what is made of what came of it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Place, Ran } from "../../os/support/sandbox-user.ts";
import { type Rule, type Sandbox, WORKSPACE } from "./sandboxes.ts";

/**
 * `stricter`: less is possible than the rules say; `not run`: nothing was tried.
 * `does not apply`: the kernel or the user leaves nothing to try.
 */
export type Outcome = "holds" | "gives way" | "stricter" | "does not apply" | "not run";

export interface Cell {
  readonly outcome: Outcome;
  readonly note?: string;
}

export interface Trick {
  readonly name: string;
  /** What writ must show, and what shows that the trick works somewhere. */
  readonly writ: Outcome;
  readonly byHand: Outcome;
  /** Nothing to try when a word is given. */
  unless?(place: Place): string | undefined;
  tryOn(sandbox: Sandbox, place: Place): Promise<Cell>;
}

export interface Attempt {
  readonly script: string;
  readonly rules?: readonly Rule[];
  readonly withheld?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Descriptors of this process by the number they are handed on under. */
  readonly descriptors?: Readonly<Record<number, number>>;
  /** Changes the command line, to start it in another way. */
  readonly wrap?: (argv: string[]) => string[];
  /** Done on the host once the script has made a file named `ready`. */
  readonly meanwhile?: (child: ChildProcess) => void | Promise<void>;
}

/** The last words of a script that was able to work. */
export const CONTROL = "touch works && echo control";

const LONGEST_MS = 60_000;

/** Runs a script in the workspace; everything in the place belongs to its user by then. */
export async function attempt(sandbox: Sandbox, place: Place, one: Attempt): Promise<Ran> {
  const { rules = WORKSPACE, withheld } = one;
  const policy = withheld === undefined ? { rules } : { rules, withheld };
  const plain = sandbox.argv(place, policy, ["/bin/sh", "-c", one.script]);
  mkdirSync(tmpOf(place), { recursive: true });
  spawnSync("chown", ["-hR", "--reference", place.workspace, path.dirname(place.workspace)]);
  const [program = "", ...args] = one.wrap?.(plain) ?? plain;
  const child = spawn(program, args, {
    cwd: place.workspace,
    env: environment(place, one.env),
    stdio: ["ignore", "pipe", "pipe", ...handedOn(one.descriptors ?? {})],
  });
  const told = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    told.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    told.stderr += chunk;
  });
  const late = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const over = once(child, "exit");
  if (one.meanwhile && (await isReady(child, place))) await one.meanwhile(child);
  const [status] = await over;
  clearTimeout(late);
  // What a child that was left behind still holds open is not waited for.
  await sleep(50);
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  return { status, ...told };
}

/** Temporary files of a peer go with the place, also when it is killed. */
function tmpOf({ workspace }: Place): string {
  return path.join(path.dirname(workspace), "tmp");
}

function environment(place: Place, more: Attempt["env"]): Record<string, string> {
  const home = place.env.HOME ?? "";
  const own = {
    PATH: process.env.PATH ?? "",
    CODEX_HOME: home,
    TMPDIR: tmpOf(place),
    RUST_LOG: "error",
  };
  return { ...place.env, ...own, ...more };
}

function handedOn(descriptors: Readonly<Record<number, number>>): (number | "ignore")[] {
  const last = Math.max(2, ...Object.keys(descriptors).map(Number));
  return Array.from({ length: last - 2 }, (_, index) => descriptors[index + 3] ?? "ignore");
}

async function isReady(child: ChildProcess, { workspace }: Place): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    if (existsSync(path.join(workspace, "ready"))) return true;
    await sleep(10);
  }
  return false;
}

/** What came of it: a control that failed says nothing about the trick. */
export function judge(
  ran: Ran,
  gaveWay: boolean,
  notes: { way?: string; held?: string } = {},
): Cell {
  if (gaveWay) return cell("gives way", notes.way);
  if (!/^control\r?$/m.test(ran.stdout)) return notRun(ran);
  return cell("holds", notes.held);
}

export function cell(outcome: Outcome, note?: string): Cell {
  return note === undefined ? { outcome } : { outcome, note };
}

/** With the last line that was said, without the names of temporary folders. */
export function notRun({ status, stderr }: Ran): Cell {
  const lines = stderr.split("\n").filter(Boolean);
  const said = (
    lines.find((line) => /panicked|Cannot|Error|bwrap:/.test(line)) ??
    lines.at(-1) ??
    ""
  )
    .replaceAll(/\/\S*writ-place-\w+\//g, "…/")
    .slice(0, 120);
  return cell("not run", said === "" ? `exit status ${status}` : said);
}
