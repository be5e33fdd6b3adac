import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { AppLab } from "../app-server/support/app-lab.ts";
import { askingThread } from "../app-server/support/asking.ts";
import { USERS } from "../support/sandbox-user.ts";

/** Children that are there, and the page faults of those that were: every program has some. */
function childrenOf(pid: number | undefined) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const living = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"));
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The ninth after the name; see proc_pid_stat(5).
  const faults = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[8];
  return { living: living.join(""), faults };
}

describe.each(USERS)("a turn as %s", (user) => {
  it("that needs no tool starts no process and makes no sandbox", async () => {
    const lab = new AppLab({ user });
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    const before = childrenOf(lab.server.pid);
    expect(before).toEqual({ living: "", faults: "0" });
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await client.turn(threadId, "say x")).turn.status).toBe("completed");
    }
    expect(childrenOf(lab.server.pid)).toEqual(before);
    await client.turn(threadId, "true");
    expect(Number(childrenOf(lab.server.pid).faults)).toBeGreaterThan(0);
  });

  it("that loads a skill and reads its files starts no process and makes no sandbox", async () => {
    const lab = new AppLab({ user });
    const folder = path.join(lab.home, "skills/a");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "SKILL.md"), "---\nname: a\ndescription: A.\n---\nDo it.\n");
    writeFileSync(path.join(folder, "notes.md"), "one\n");
    lab.place.give();
    const client = await lab.client();
    const threadId = await askingThread(client, lab.place);
    const loaded = await client.turn(threadId, "skill a");
    expect(JSON.stringify(loaded.items)).toContain("Do it.");
    const read = await client.turn(threadId, "read $WRIT_SHELF/skills/a/notes.md");
    expect(JSON.stringify(read.items)).toContain("one\\n");
    expect(childrenOf(lab.server.pid)).toEqual({ living: "", faults: "0" });
  });
});
