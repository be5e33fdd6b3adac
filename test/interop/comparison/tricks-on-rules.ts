/** What rules mean when a command does its best: nested, on files, by pattern, through links. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Place } from "../../os/support/sandbox-user.ts";
import { attempt, CONTROL, cell, judge, notRun, type Trick } from "./attempt.ts";
import type { Rule } from "./sandboxes.ts";

const SECRET = "the-secret\n";
const OPEN = "open-text\n";

const workspace: Rule = { at: ".", access: "write" };

/** Lays out files below the workspace, by name and text. */
function layOut(place: Place, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(place.workspace, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const ancestor: Trick = {
  name: "rename a folder above a read-only one, make both anew",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    layOut(place, { "p/sec/f": "old" });
    const rules = [workspace, { at: "p/sec", access: "read" } as const];
    const script = `mv p q; mkdir -p p/sec; echo new > p/sec/f; ${CONTROL}`;
    const ran = await attempt(sandbox, place, { rules, script });
    const kept = path.join(place.workspace, "p/sec/f");
    return judge(ran, !existsSync(kept) || readFileSync(kept, "utf8") !== "old");
  },
};

const readInsideDeny: Trick = {
  name: "read a folder that is reopened inside a hidden one",
  writ: "holds",
  byHand: "holds",
  async tryOn(sandbox, place) {
    layOut(place, { "s/key": SECRET, "s/open/f": OPEN });
    const hidden: Rule = { at: "s", access: "deny" };
    const rules = [workspace, hidden, { at: "s/open", access: "read" } as const];
    const script = `cat s/key s/open/f; ${CONTROL}`;
    const ran = await attempt(sandbox, place, { rules, script });
    const found = judge(ran, ran.stdout.includes(SECRET));
    if (found.outcome !== "holds" || ran.stdout.includes(OPEN)) return found;
    return cell("stricter", "the inner folder stays hidden");
  },
};

const writableFile: Trick = {
  name: "write one file in a read-only folder, and nothing beside it",
  writ: "holds",
  byHand: "holds",
  async tryOn(sandbox, place) {
    layOut(place, { "only.txt": "old" });
    const rules: Rule[] = [{ at: "only.txt", access: "write" }];
    const script = "echo new > only.txt; touch other; echo control";
    const ran = await attempt(sandbox, place, { rules, script });
    const found = judge(ran, existsSync(path.join(place.workspace, "other")));
    const text = readFileSync(path.join(place.workspace, "only.txt"), "utf8");
    if (found.outcome !== "holds" || text === "new\n") return found;
    return cell("stricter", "the file cannot be written");
  },
};

const deniedFolder: Trick = {
  name: "start in a folder that is hidden",
  writ: "holds",
  byHand: "holds",
  async tryOn(sandbox, place) {
    layOut(place, { key: SECRET });
    const control = judge(await attempt(sandbox, place, { script: CONTROL }), false);
    if (control.outcome !== "holds") return control;
    const rules: Rule[] = [{ at: ".", access: "deny" }];
    const script = `cat key; pwd; ls; echo control`;
    const ran = await attempt(sandbox, place, { rules, script });
    if (ran.stdout.includes(SECRET)) return cell("gives way");
    if (!ran.stdout.includes("control")) return cell("holds", `refused: ${notRun(ran).note}`);
    const here = ran.stdout.split("\n")[0];
    return cell(
      "holds",
      here === place.workspace ? "starts, sees an empty folder" : "starts elsewhere",
    );
  },
};

const hiddenBy = (pattern: string): Trick => ({
  name: `read a file in a folder that the pattern \`${pattern}\` hides`,
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    layOut(place, { "a/secrets/key": SECRET, "a/b/secrets/deep/key": SECRET });
    const rules = [workspace, { at: pattern, access: "deny", pattern: true } as const];
    const script = `cat a/secrets/key a/b/secrets/deep/key; ${CONTROL}`;
    const ran = await attempt(sandbox, place, { rules, script });
    return judge(ran, ran.stdout.includes(SECRET));
  },
});

/** Known to give way everywhere: patterns are looked for when the command starts. */
const madeLater: Trick = {
  name: "read a file that the host makes later under a hidden pattern",
  writ: "gives way",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    layOut(place, { "one.env": "old" });
    const rules = [workspace, { at: "**/*.env", access: "deny", pattern: true } as const];
    const script = `touch ready; while [ ! -e go ]; do sleep 0.05; done; cat two.env; ${CONTROL}`;
    const meanwhile = () => layOut(place, { "two.env": SECRET, go: "" });
    const ran = await attempt(sandbox, place, { rules, script, meanwhile });
    return judge(ran, ran.stdout.includes(SECRET));
  },
};

const ROUNDS = 40;
const SWAPPER = `
  my ($a, $b) = @ARGV;
  while (1) {
    syscall(${process.arch === "arm64" ? 276 : 316}, -100, $a, -100, $b, 2) == 0 or die "swap: $!";
    select(undef, undef, undef, rand 0.012);
  }
`;

/** `d` is by turns the folder with the secret and a link to a harmless one. */
const swapped: Trick = {
  name: `start over a hidden path that is swapped for a link again and again, ${ROUNDS} starts at most`,
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    layOut(place, { "d/key": SECRET, "other/key": "harmless" });
    symlinkSync("other", path.join(place.workspace, "e"));
    const rules = [workspace, { at: "d/key", access: "deny" } as const];
    const script = `for i in 0 1 2 3 4 5 6 7 8 9; do cat d/key; sleep 0.01; done; ${CONTROL}`;
    const calm = await attempt(sandbox, place, { rules, script });
    const control = judge(calm, calm.stdout.includes(SECRET), { way: "without a swap" });
    if (control.outcome !== "holds") return control;
    const names = ["d", "e"].map((name) => path.join(place.workspace, name));
    const swapper: ChildProcess = spawn("perl", ["-e", SWAPPER, ...names], { stdio: "ignore" });
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { stdout } = await attempt(sandbox, place, { rules, script });
        if (stdout.includes(SECRET)) return cell("gives way");
      }
      return cell("holds");
    } finally {
      swapper.kill("SIGKILL");
    }
  },
};

export const RULE_TRICKS: readonly Trick[] = [
  ...[ancestor, readInsideDeny, writableFile, deniedFolder],
  ...[hiddenBy("**/secrets"), hiddenBy("**/secrets/**"), madeLater, swapped],
];
