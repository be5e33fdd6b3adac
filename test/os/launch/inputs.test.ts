import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  bindProfile,
  parseAbsolutePath,
  policyForMode,
  profileOfPolicy,
} from "../../../src/policy/index.ts";
import { planOnHost, probeHostRoots, startPlan } from "../../../src/sandbox/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What a script prints that gets two inputs. */
async function printed(script: string, root = temporaryFolder({ "ws/f": "" })): Promise<string> {
  const cwd = parseAbsolutePath(`${root}/ws`);
  const env = { PATH: "/usr/bin:/bin" };
  const host = { cwd, workspaceRoots: [cwd], env, platform: "linux" };
  const roots = probeHostRoots({ ...host, externalSandbox: "absent" });
  const profile = bindProfile(profileOfPolicy(policyForMode("read-only")), roots);
  const inputs = [Buffer.from("first"), Buffer.alloc(300_000, "x")];
  const command = ["/bin/sh", "-c", script] as const;
  const request = { command, cwd, env, profile, terminal: "none" as const, inputs };
  const plan = await planOnHost(request, { hidden: [], readOnly: [] });
  const running = await startPlan(plan, {
    records: parseAbsolutePath(`${root}/records`),
    streams: "pipe",
  });
  running.stderr?.resume();
  let text = "";
  for await (const chunk of running.stdout ?? []) text += chunk;
  await running.outcome;
  return text;
}

describe("inputs of a command", () => {
  it("are on the descriptors from 3 on, to their end", async () => {
    expect(await printed("cat <&3; echo; wc -c <&4")).toBe("first\n300000\n");
  });

  it("are all that is handed on", async () => {
    // Its streams are pipes; the inputs are sockets.
    const open = await printed("ls -l /proc/self/fd | grep -c socket:");
    expect(Number(open)).toBe(2);
  });

  it("leave nothing open here when they are over, also when nobody ended the first one", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const root = temporaryFolder({ "ws/f": "" });
    for (let count = 0; count < 4; count += 1) await printed("true", root);
    const before = open();
    for (let count = 0; count < 60; count += 1) await printed("true", root);
    // The pipes that are kept ready come and go by the handful.
    await expect.poll(open).toBeLessThan(before + 40);
  });
});
