/** What the host does to a mount point while a command lives, what a killed launcher leaves, what is inherited. */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "../../os/support/sandbox-user.ts";
import { attempt, CONTROL, cell, judge, type Trick } from "./attempt.ts";
import type { Rule, Sandbox } from "./sandboxes.ts";

const workspace: Rule = { at: ".", access: "write" };
const inside = ({ workspace }: Place, name: string) => path.join(workspace, name);

/** Long enough for a sandbox that notices the change. */
const LATER = "touch ready; sleep 2";

const renamedOver: Trick = {
  name: "the host renames a new file over a hidden one (as editors save)",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    writeFileSync(inside(place, ".env"), "old-secret");
    const rules = [workspace, { at: ".env", access: "deny" } as const];
    const script = `cat .env; ${LATER}; cat .env; ${CONTROL}`;
    const ran = await attempt(sandbox, place, {
      rules,
      script,
      meanwhile() {
        writeFileSync(inside(place, "draft"), "new-secret");
        renameSync(inside(place, "draft"), inside(place, ".env"));
      },
    });
    if (ran.stdout.includes("old-secret")) return cell("gives way", "before any change");
    return ended(ran.stdout, place) ?? judge(ran, ran.stdout.includes("new-secret"));
  },
};

const placeholderRemoved: Trick = {
  name: "the host removes the empty placeholder for a missing `.codex`; the command makes its own",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    const plant = "mkdir -p .codex/hooks; echo x > .codex/hooks/evil";
    const script = `( ${plant} ) 2>/dev/null; ${LATER}; ( ${plant} ) 2>/dev/null; ${CONTROL}`;
    const planted = inside(place, ".codex/hooks/evil");
    let before = false;
    const ran = await attempt(sandbox, place, {
      script,
      meanwhile() {
        before = existsSync(planted);
        rmSync(inside(place, ".codex"), { recursive: true, force: true });
      },
    });
    if (before) return cell("gives way", "before any change");
    return ended(ran.stdout, place) ?? judge(ran, existsSync(planted));
  },
};

/** It ran, and did not come to its last words. */
function ended(stdout: string, place: Place) {
  const cut = existsSync(inside(place, "ready")) && !stdout.includes("control");
  return cut ? cell("holds", "the command is ended") : undefined;
}

interface Left {
  readonly started: boolean;
  /** Processes of it that live on. */
  readonly living: number;
  /** Names on the host after the next command in the same workspace. */
  readonly lasting: number;
}

type Choose = (tree: readonly number[]) => readonly number[];

/** Kills what was started, looks at what is there some seconds later, and then ends that too. */
async function killed(sandbox: Sandbox, place: Place, choose: Choose): Promise<Left> {
  const before = new Set([...readdirSync(place.workspace), "ready", "works"]);
  let tree: readonly number[] = [];
  await attempt(sandbox, place, {
    script: "touch ready; sleep 300",
    meanwhile({ pid = 0 }) {
      tree = treeOf(pid);
      kill(choose(tree));
    },
  });
  for (let looks = 0; looks < 50 && tree.some(isAlive); looks += 1) await sleep(100);
  const living = tree.filter(isAlive);
  kill(living);
  await sleep(200);
  await attempt(sandbox, place, { script: CONTROL });
  const lasting = readdirSync(place.workspace).filter((name) => !before.has(name));
  return { started: tree.length > 0, living: living.length, lasting: lasting.length };
}

/** A process and all that came from it, seen from the host. */
function treeOf(pid: number): number[] {
  const tree = [pid];
  for (const parent of tree) {
    const children = readdirSync("/proc").filter((name) =>
      readStatus(name).includes(`\nPPid:\t${parent}\n`),
    );
    tree.push(...children.map(Number));
  }
  return tree;
}

function isAlive(pid: number): boolean {
  const status = readStatus(String(pid));
  return status !== "" && !/^State:\tZ/m.test(status);
}

/** Nothing of a process that is gone. */
function readStatus(name: string): string {
  if (!/^\d+$/.test(name)) return "";
  try {
    return readFileSync(`/proc/${name}/status`, "utf8");
  } catch {
    return "";
  }
}

/** Some are gone by the death of another. */
function kill(pids: readonly number[]): void {
  for (const pid of pids.filter(isAlive)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (isAlive(pid)) throw error;
    }
  }
}

const NEVER_STARTED = cell("not run", "the command did not start");

const processesLeft: Trick = {
  name: "the program that was started is killed: what of it lives on?",
  writ: "holds",
  byHand: "holds",
  async tryOn(sandbox, place) {
    const { started, living } = await killed(sandbox, place, ([first = 0]) => [first]);
    if (!started) return NEVER_STARTED;
    return living > 0 ? cell("gives way", `${living} processes`) : cell("holds");
  },
};

const namesLeft: Trick = {
  name: "everything that was started is killed: are placeholders left on the host after the next run?",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    const { started, lasting } = await killed(sandbox, place, (tree) => tree);
    if (!started) return NEVER_STARTED;
    return lasting > 0 ? cell("gives way", `${lasting} names`) : cell("holds");
  },
};

const DESCRIPTORS = [9, 30];
const WRITE_ALL = DESCRIPTORS.map(
  (fd) => `if (open(FILE, ">&=", ${fd})) { syswrite(FILE, "planted ${fd}\\n"); close FILE }`,
).join("\n");

const descriptors: Trick = {
  name: "write to a file outside through an inherited descriptor (9 and 30)",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    const file = path.join(place.outside, "inherited");
    writeFileSync(file, "");
    const fd = openSync(file, "a");
    writeFileSync(inside(place, "write.pl"), WRITE_ALL);
    const ran = await attempt(sandbox, place, {
      script: `perl write.pl; ${CONTROL}`,
      descriptors: Object.fromEntries(DESCRIPTORS.map((slot) => [slot, fd])),
    });
    closeSync(fd);
    const planted = [...readFileSync(file, "utf8").matchAll(/planted (\d+)/g)].map(
      ([, slot]) => slot,
    );
    return judge(ran, planted.length > 0, { way: `through ${planted.join(" and ")}` });
  },
};

const token = (withheld?: string) => ({
  script: `env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; ${CONTROL}`,
  env: { CANARY_TOKEN: "token-text" },
  ...(withheld && { withheld }),
});

const environment: Trick = {
  name: "read a token from the environment of whoever started it",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    const ran = await attempt(sandbox, place, token());
    return judge(ran, ran.stdout.includes("token-text"));
  },
};

/** The first process of a sandbox may still have it. */
const withheld: Trick = {
  name: "the same, where the configuration withholds it",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    const ran = await attempt(sandbox, place, token("CANARY_TOKEN"));
    return judge(ran, ran.stdout.includes("token-text"));
  },
};

export const HOST_TRICKS: readonly Trick[] = [
  ...[renamedOver, placeholderRemoved, processesLeft, namesLeft],
  ...[descriptors, environment, withheld],
];
