/** Workers, servers and clients that are killed at any moment, in rounds: nothing runs on, and nothing stays. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { campaignSeed, rounds } from "../../../support/campaign.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { foldersOf, killAll, stillRunning } from "./support/left-behind.ts";
import { ReplClient } from "./support/repl-client.ts";

const STRIKES = ["worker", "server", "client"] as const;
const LANGUAGES = ["python", "node", "bash", "r"] as const;

/** Cells that take a moment, then print the mark of their round. */
const NAPS: Readonly<Record<(typeof LANGUAGES)[number], (mark: string) => string>> = {
  python: (mark) => `import time\ntime.sleep(0.03)\nprint("${mark}")`,
  node: (mark) => `await new Promise((done) => setTimeout(done, 30)); console.log("${mark}")`,
  bash: (mark) => `sleep 0.03; echo ${mark}`,
  r: (mark) => `Sys.sleep(0.03); cat("${mark}\\n")`,
};

/** Numbers that are the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function pick<T>(list: readonly [T, ...T[]], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

/** Strikes while calls are served; the process that the server was. */
async function aRound(place: Place, random: () => number): Promise<number> {
  const language = pick(LANGUAGES, random);
  const client = new ReplClient(place, { flags: ["--language", language] });
  const { pid = 0 } = client.child;
  await client.greet();
  const marks = [1, 2, 3].map(() => `mark-${randomUUID()}`);
  const calls = marks.map((mark) => client.call(NAPS[language](mark)).catch(() => undefined));
  await sleep(random() * 500);
  const all = client.processes();
  const what = pick(STRIKES, random);
  if (what === "worker") killAll(all);
  else if (what === "server") client.child.kill("SIGKILL");
  else client.child.stdin?.end();
  const replies = (await Promise.all(calls)).map((reply) => reply?.text ?? "");
  for (const [index, text] of replies.entries()) {
    // A reply has its own mark or none, but never one that was asked for later.
    expect(marks.slice(index + 1).filter((later) => text.includes(later))).toEqual([]);
  }
  if (what === "worker") {
    await servesOn(client, language, marks);
    all.push(...client.processes());
    expect(await client.end()).toBe(0);
  }
  await client.exit;
  await expect.poll(() => stillRunning(all)).toEqual([]);
  if (what !== "server") expect(foldersOf(pid)).toEqual([]);
  return pid;
}

/** The next session serves, and shows nothing that was asked of the one before. */
async function servesOn(
  client: ReplClient,
  language: (typeof LANGUAGES)[number],
  before: readonly string[],
): Promise<void> {
  const mark = `mark-${randomUUID()}`;
  const { text } = await client.call(NAPS[language](mark));
  // A call that came just before the server heard of the death is told of it, and not run twice.
  if (!text.includes(mark)) expect(text).toContain("[repl] worker was ended by signal 9");
  const next = await client.call(NAPS[language](`next-${mark}`));
  expect(next.text).toContain(`next-${mark}`);
  expect(before.filter((one) => next.text.includes(one))).toEqual([]);
}

describe("a REPL whose parts are killed at any moment", () => {
  it("leaves no process and no folder, and serves on where its server lives", async () => {
    const random = chance(campaignSeed);
    const all = USERS.map((user) => ({ place: placeFor(user), pids: [] as number[] }));
    for (let round = 0; round < rounds(200); round += 1) {
      for (const { place, pids } of all.slice(round % all.length).slice(0, 1)) {
        pids.push(await aRound(place, random));
      }
    }
    // The next to start takes away what the dead have left.
    for (const { place, pids } of all) {
      const client = new ReplClient(place, { flags: ["--language", "python"] });
      await client.greet();
      expect((await client.call("1")).text).toBe("1\n");
      expect(await client.end()).toBe(0);
      expect(pids.flatMap((pid) => foldersOf(pid))).toEqual([]);
    }
  }, 600_000);
});
