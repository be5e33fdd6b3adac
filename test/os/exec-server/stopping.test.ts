/** Signals to a server: whoever has a command in a folder gets the folder back as it was. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startLab } from "./support/exec-lab.ts";
import { workspaceWrite } from "./support/wire-intent.ts";
import { printed, startOf } from "./support/wire-process.ts";

const WRIT = path.resolve(import.meta.dirname, "../../../bin/writ");

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

it("opens none either before any of this program runs", async () => {
  for (const ms of [10, 15, 20, 25, 30, 35, 40, 45]) {
    const child = spawn(WRIT, ["exec-server", "--help"], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    await sleep(ms);
    child.kill("SIGUSR1");
    await once(child, "close");
    expect(said).toBe("");
  }
});
