/**
 * What skills cost a turn: a look at a thousand files that did not change, a sync that has nothing to
 * send, and a skill that is loaded before there is a sandbox.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLocalExecutor, openReceiptStore } from "../src/exec/index.ts";
import { parseAbsolutePath, uriOfNative } from "../src/policy/index.ts";
import {
  createLocalProvider,
  discoverSkills,
  loadSkill,
  type Skill,
  SkillDigests,
  SkillShelf,
} from "../src/session/index.ts";
import { intentFor } from "./intent-for.ts";
import { medianOf, readable } from "./measure.ts";

const ROUNDS = 41;
const FILES = 1000;
/** What is younger than this is read again each time. */
const RESTED_MS = 3500;
const NEVER = new AbortController().signal;

/** Prints medians; the target of a re-sync is 20 ms. */
export async function skillsBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  const [workspace, home, skills] = ["ws", "home", "skills"].map((name) => path.join(base, name));
  if (!workspace || !home || !skills) throw new Error("there are three folders");
  for (const folder of [workspace, home, path.join(skills, "big")]) {
    mkdirSync(folder, { recursive: true });
  }
  layOut(path.join(skills, "big"));
  await sleep(RESTED_MS);
  try {
    loading(skills);
    await syncing({ base, workspace, home, skills });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function layOut(folder: string): void {
  writeFileSync(path.join(folder, "SKILL.md"), "---\nname: big\ndescription: Big.\n---\nDo it.\n");
  for (let at = 1; at < FILES; at += 1) {
    const file = path.join(folder, `references/${at % 10}/${at}.md`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${at}\n`.repeat(200));
  }
}

function look(folder: string): readonly Skill[] {
  return discoverSkills([{ folder, scope: "user" }], "/home/me").skills;
}

function loading(folder: string): void {
  const before = children();
  const samples = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    for (const skill of look(folder)) loadSkill(skill, "/home/me");
    return performance.now() - start;
  });
  const started = children() - before;
  line("a look, and a skill loaded", `${readable(medianOf(samples) * 1e6)}, ${started} processes`);
}

interface BenchPlace {
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  readonly skills: string;
}

async function syncing({ base, workspace, home, skills }: BenchPlace): Promise<void> {
  const receipts = openReceiptStore(parseAbsolutePath(home));
  const executor = createLocalExecutor({
    host: {
      env: { HOME: home, PATH: "/usr/bin:/bin" },
      platform: process.platform,
      own: { hidden: [parseAbsolutePath(home)], readOnly: [] },
      records: parseAbsolutePath(path.join(base, "records")),
      tmpdir: undefined,
      homes: [],
      externalSandbox: "absent",
      bounds: { ceilings: [], roots: "any", waivers: "refused", hostNetwork: "refused" },
    },
    receipts,
  });
  const intent = intentFor(workspace);
  const sandbox = await createLocalProvider({ executor }).create({
    ...{ thread: "bench", intent, workspace: uriOfNative(workspace), signal: NEVER },
  });
  try {
    const digests = new SkillDigests();
    const sync = async () => {
      const shelf = new SkillShelf(digests);
      shelf.use(look(skills));
      return shelf.sync(sandbox, { intent, signal: NEVER });
    };
    const start = performance.now();
    const first = await sync();
    const took = readable((performance.now() - start) * 1e6);
    line(`the first sync of ${FILES} files`, `${took}, ${first.written} sent`);
    const samples: number[] = [];
    let sent = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      sent += (await sync()).written;
      samples.push(performance.now() - begun);
    }
    line("one with nothing changed", `${readable(medianOf(samples) * 1e6)}, ${sent} sent`);
  } finally {
    await sandbox.stop();
    await executor.close();
    receipts.close();
  }
}

/** How many processes this one has started. */
function children(): number {
  const words = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
  return words.split(" ").filter(Boolean).length;
}

function line(what: string, text: string): void {
  process.stdout.write(`${what.padEnd(40)} ${text}\n`);
}
