/** Signals to a server: whoever has a command in a folder gets the folder back as it was. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { startLab } from "./support/exec-lab.ts";
import { workspaceWrite } from "./support/wire-intent.ts";
import { printed, startOf } from "./support/wire-process.ts";

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "takes its commands and what protects folders along on %s",
  async (signal) => {
    const lab = await startLab();
    const client = await lab.open();
    const { workspace } = lab.place;
    const sandbox = workspaceWrite([workspace]);
    const start = startOf(workspace, "echo ready; sleep 600", { sandbox });
    await client.call("process/start", start);
    await printed(client, start.processId, "ready");
    expect(readdirSync(workspace)).toContain(".envrc");
    const exit = once(lab.server, "exit");
    lab.server.kill(signal);
    expect(await exit).toEqual([0, null]);
    expect(readdirSync(workspace)).toEqual([]);
  },
);

it("opens no debugger on SIGUSR1: to whoever reaches it this server would be theirs", async () => {
  const lab = await startLab();
  const exit = once(lab.server, "exit");
  lab.server.kill("SIGUSR1");
  expect(await exit).toEqual([null, "SIGUSR1"]);
  expect(lab.errors()).toBe("");
});
