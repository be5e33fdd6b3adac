import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { type KeptRun, stateOf } from "../../../src/exec/receipts/kept-run.ts";
import { identityOf } from "../../../src/sandbox/index.ts";

const [pid, start, namespace, boot] = (identityOf(process.pid) ?? "").split("-");
const run = (...identity: (string | undefined)[]): KeptRun => ({
  id: "x",
  process: identity.join("-"),
  start: null,
  receipt: null,
});

describe("stateOf", () => {
  it.each<[string, KeptRun, string]>([
    ["the process itself", run(pid, start, namespace, boot), "running"],
    ["another process with its number", run(pid, "1", namespace, boot), "gone"],
    ["one before the last boot", run(pid, start, namespace, "0"), "gone"],
    ["one of another pid namespace", run(pid, start, "1", boot), "unseen"],
    ["one that cannot be told from others", { ...run(), process: null }, "unseen"],
    ["words that name none", run("x"), "gone"],
  ])("takes %s for what it is", (_, kept, state) => {
    expect(stateOf(kept)).toBe(state);
  });

  it("takes a process that is over but not yet collected for gone", async () => {
    // The shell becomes a program that does not wait for what the shell started.
    const child = spawn("/bin/sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [printed] = await once(child.stdout, "data");
    const zombie = identityOf(Number(printed));
    expect(zombie).toBeDefined();
    await expect.poll(() => stateOf({ ...run(), process: zombie ?? null })).toBe("gone");
    expect(identityOf(Number(printed))).toBe(zombie);
  });
});
