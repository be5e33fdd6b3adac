/** A sandbox that is not as planned is taken down at its gate. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  parseAbsolutePath as at,
  bindProfile,
  policyForMode,
  profileOfPolicy,
} from "../../../src/policy/index.ts";
import {
  type LaunchPlan,
  planOnHost,
  probeHostRoots,
  type RunOutcome,
  recordsFolder,
  startPlan,
} from "../../../src/sandbox/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const root = () => temporaryFolder({ "ws/f": "" });

async function ran(folder: string, change: (plan: LaunchPlan) => LaunchPlan): Promise<RunOutcome> {
  const cwd = at(`${folder}/ws`);
  const env = { PATH: "/usr/bin:/bin" };
  const host = { cwd, workspaceRoots: [cwd], env, platform: "linux" };
  const roots = probeHostRoots({ ...host, externalSandbox: "absent" });
  const profile = bindProfile(profileOfPolicy(policyForMode("workspace-write")), roots);
  const request = { command: ["/usr/bin/touch", "ran"], cwd, env, profile } as const;
  const plan = await planOnHost({ ...request, terminal: "none" }, { hidden: [], readOnly: [] });
  const running = await startPlan(change(plan), { records: recordsFolder(), streams: "pipe" });
  for (const stream of [running.stdout, running.stderr]) stream?.resume();
  return running.outcome;
}

describe("startPlan", () => {
  it("runs the command of a sandbox that is as planned", async () => {
    const folder = root();
    expect(await ran(folder, (plan) => plan)).toEqual({ kind: "exited", code: 0 });
    expect(existsSync(`${folder}/ws/ran`)).toBe(true);
  });

  it.each([
    [
      "lacks a mount",
      (plan: LaunchPlan): LaunchPlan => ({
        ...plan,
        expectedMounts: [...plan.expectedMounts, { path: at("/nonexistent"), readOnly: true }],
      }),
      /^nothing is mounted on "\/nonexistent": a path changed while the sandbox was built$/,
    ],
    [
      "is in another network",
      (plan: LaunchPlan): LaunchPlan => ({ ...plan, expectedNetwork: "4:1" }),
      /^it is in another network than it was to join$/,
    ],
  ])("refuses the command of a sandbox that %s", async (_, change, reason) => {
    const folder = root();
    const outcome = { kind: "notStarted", what: "sandbox", reason: expect.stringMatching(reason) };
    expect(await ran(folder, change)).toEqual(outcome);
    expect(existsSync(`${folder}/ws/ran`)).toBe(false);
  });
});
