/**
 * Ends groups of processes that nothing confines when this process is gone.
 *
 * A sandbox ends with whoever started it. A command without one does not, so a
 * small program beside us knows its group and waits for the end of a pipe.
 */
import { identityOf } from "../placeholders/process-identity.ts";
import { type ProgramBeside, startBeside } from "./start-beside.ts";

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

let running: ProgramBeside | undefined;
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
  // Whoever waits for the end of a command goes on first.
  return { release: () => void setImmediate(release) };
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
  if (child === before) child.stdin.write(`${over}${news}`);
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

/** One for all groups. */
function reaper(): ProgramBeside {
  if (running !== undefined && running.exitCode === null && running.signalCode === null)
    return running;
  const child = startBeside(WAIT_AND_KILL);
  child.once("exit", (_, signal) => {
    if (signal !== null && groups.size > 0) reaper();
  });
  child.stdin.write([...groups].map((group) => `+ ${group}\n`).join(""));
  running = child;
  return child;
}
