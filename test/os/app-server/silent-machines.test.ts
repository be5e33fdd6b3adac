/** A machine that answers nothing any more, and does not hang up either, holds nobody up for ever. */
import { expect, it } from "vitest";
import { startLab } from "../exec-server/support/exec-lab.ts";
import { AppLab } from "./support/app-lab.ts";
import { askingThread, ended, say } from "./support/asking.ts";

it("a thread on a machine that stands still is let go of, and so is its server", {
  timeout: 100_000,
}, async () => {
  const machine = await startLab();
  const lab = new AppLab({ over: "ws" });
  const client = await lab.client();
  await client.ok("environment/add", { environmentId: "there", execServerUrl: machine.url });
  const environments = [{ environmentId: "there", cwd: machine.place.workspace }];
  const members = { environments, approvalPolicy: "never" };
  const threadId = await askingThread(client, lab.place, members);
  expect((await client.turn(threadId, "true")).turn.status).toBe("completed");
  machine.server.kill("SIGSTOP");
  try {
    const turnId = await say(client, threadId, "touch never");
    const started = ({ item }: { item: { type: string } }) => item.type === "commandExecution";
    await client.note("item/started", started, client.notes.length - 3);
    await client.ok("turn/interrupt", { threadId, turnId });
    expect((await ended(client, turnId)).status).toBe("interrupted");
    const before = Date.now();
    await client.ok("thread/archive", { threadId });
    expect(await lab.stop()).toBe(0);
    // Each wait is of five seconds; what was waited for otherwise never came.
    expect(Date.now() - before).toBeLessThan(40_000);
  } finally {
    machine.server.kill("SIGCONT");
  }
});
