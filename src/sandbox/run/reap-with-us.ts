/**
 * Ends groups of processes that nothing confines when this process is gone.
 *
 * A sandbox ends with whoever started it. A command without one does not, so a
 * small program beside us knows its group and waits for the end of a pipe.
 */
import { type ChildProcess, spawn } from "node:child_process";

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

const LOOK_AGAIN_MS = 1000;
let over = "";
let telling: NodeJS.Timeout | undefined;

/** Keeps the group in mind until it is let go of and nobody is left in it. */
export function reapWithUs(group: number): { release(): void } {
  tell(`+ ${group}\n`);
  const release = () => {
    if (!isEmpty(group)) {
      setTimeout(release, LOOK_AGAIN_MS).unref();
      return;
    }
    // Told with the next one, but soon: the number may be another group's before this process ends.
    over += `- ${group}\n`;
    telling ??= setTimeout(tell, LOOK_AGAIN_MS, "").unref();
  };
  return { release };
}

function tell(news: string): void {
  clearTimeout(telling);
  telling = undefined;
  reaper().stdin?.write(`${over}${news}`);
  over = "";
}

function isEmpty(group: number): boolean {
  try {
    return !process.kill(-group, 0);
  } catch {
    return true;
  }
}

/** One for all groups, in a session of its own so that a signal to ours does not end it. */
function reaper(): ChildProcess {
  if (running !== undefined && running.exitCode === null && running.signalCode === null)
    return running;
  const child = spawn("/bin/sh", ["-c", WAIT_AND_KILL], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  // Nobody waits for it: it ends when the pipe does.
  child.unref();
  (child.stdin as unknown as { unref?: () => void }).unref?.();
  running = child;
  return child;
}
