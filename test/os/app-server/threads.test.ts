import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { AppLab, WAYS } from "./support/app-lab.ts";

describe.each(WAYS)("threads over %s", (over) => {
  it("A16 B02 start under the full policy, run under it and go on under it after a restart", async () => {
    const lab = new AppLab({ over });
    const { workspace, outside } = lab.place;
    const client = await lab.client();
    const sandboxPolicy = { type: "workspaceWrite", writableRoots: [outside] };
    const started = await client.ok("thread/start", {
      cwd: workspace,
      sandbox: "read-only",
      sandboxPolicy,
    });
    expect(started.sandbox).toEqual({
      ...sandboxPolicy,
      networkAccess: false,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: false,
    });
    expect(started.writ.projection).toEqual({ lossy: false, lost: [] });
    const threadId = started.thread.id;
    const inside = path.join(workspace, "a");
    const { items } = await client.turn(threadId, `touch ${inside} ${outside}/b`);
    expect(items.map(({ type }) => type)).toEqual([
      "userMessage",
      "commandExecution",
      "agentMessage",
    ]);
    expect([inside, `${outside}/b`].map((file) => existsSync(file))).toEqual([true, true]);
    client.close();
    await lab.stop();
    const later = await lab.client();
    const resumed = await later.ok("thread/resume", { threadId });
    expect(resumed.sandbox).toEqual(started.sandbox);
    expect(resumed.writ.profileDigest).toBe(started.writ.profileDigest);
    expect(resumed.thread.turns[0].items).toHaveLength(3);
    await later.turn(threadId, `touch ${outside}/c; touch ${path.dirname(outside)}/d`);
    expect(existsSync(`${outside}/c`)).toBe(true);
    expect(existsSync(`${path.dirname(outside)}/d`)).toBe(false);
  });
});
