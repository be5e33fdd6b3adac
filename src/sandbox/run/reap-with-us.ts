/**
 * Ends groups of processes that nothing confines when this process is gone.
 *
 * A sandbox ends with whoever started it. A command without one does not, so a
 * small program beside us knows its group and waits for the end of a pipe.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import fs from "node:fs";
import type { Writable } from "node:stream";
import { identityOf } from "../placeholders/process-identity.ts";
import { inheritedFrom, shadowsOf } from "./inherited-from.ts";

/** `-s`: dash, the /bin/sh of many hosts, takes no `--` after `-KILL`. */
const WAIT_AND_KILL = `trap '' INT TERM HUP QUIT
live=' '
while read -r what id; do
  case $what in
    +) live="$live$id " ;;
    -) case $live in *" $id "*) live="\${live%% $id *} \${live#* $id }" ;; esac ;;
  esac
done
for id in $live; do kill -s KILL -- "-$id"; done 2>/dev/null`;

let running: ChildProcess | undefined;
const groups = new Set<number>();

const LOOK_AGAIN_MS = 1000;
let over = "";
let telling: NodeJS.Timeout | undefined;

/** Keeps the group in mind until it is let go of, when its leader is over, and nobody is left in it. */
export function reapWithUs(group: number): { release(): void } {
  groups.add(group);
  tell(`+ ${group}\n`);
  const release = () => {
    if (!isEmpty(group)) {
      setTimeout(release, LOOK_AGAIN_MS).unref();
      return;
    }
    groups.delete(group);
    // Told with the next one, but soon: the number may be another group's before this process ends.
    over += `- ${group}\n`;
    telling ??= setTimeout(tell, LOOK_AGAIN_MS, "").unref();
  };
  return { release };
}

/** Starts it ahead of the first group: whoever is killed while it starts would leave that one. */
export function prepareToReap(): void {
  reaper();
}

/** One that was just started knows all of them. */
function tell(news: string): void {
  clearTimeout(telling);
  telling = undefined;
  const before = running;
  const child = reaper();
  if (child === before) child.stdin?.write(`${over}${news}`);
  over = "";
}

/** While anybody is in a group its number is given to nobody else: who has it now is no longer ours. */
function isEmpty(group: number): boolean {
  try {
    return identityOf(group) !== undefined || !process.kill(-group, 0);
  } catch {
    return true;
  }
}

/** One for all groups, in a session of its own so that a signal to ours does not end it. */
function reaper(): ChildProcess {
  if (running !== undefined && running.exitCode === null && running.signalCode === null)
    return running;
  const child = startAlone();
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  // Nobody waits for it: it ends when the pipe does.
  child.unref();
  (child.stdin as unknown as { unref?: () => void }).unref?.();
  child.once("exit", (_, signal) => {
    if (signal !== null && groups.size > 0) reaper();
  });
  child.stdin.write([...groups].map((group) => `+ ${group}\n`).join(""));
  running = child;
  return child;
}

/** It lives long: a terminal that it got by accident would never end. */
function startAlone(): ChildProcessByStdio<Writable, null, null> {
  const nothing = fs.openSync("/dev/null", "r+");
  try {
    const standard = ["pipe", "ignore", "ignore"] as const;
    const shadows = shadowsOf(inheritedFrom(standard.length), standard.length, nothing);
    return spawn("/bin/sh", ["-c", WAIT_AND_KILL], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: [...standard, ...shadows],
      detached: true,
    }) as ChildProcessByStdio<Writable, null, null>;
  } finally {
    fs.closeSync(nothing);
  }
}
