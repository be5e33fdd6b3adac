/** Every road to a process meets in `planStart`: one intent gives one plan, whoever asked. */
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CliWorld } from "../../src/cli/command.ts";
import { bindFlags } from "../../src/cli/policy/bind-flags.ts";
import { startOfFlags } from "../../src/cli/start-of-flags.ts";
import { planStart } from "../../src/exec/plan-start.ts";
import { processMethods } from "../../src/exec/protocol/process-methods.ts";
import { writeStart } from "../../src/exec/remote/write-start.ts";
import { readStart } from "../../src/exec/server/processes/read-start.ts";
import { JSON_LIMITS, readJson } from "../../src/rpc/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const promise = {
  version: 1,
  executorId: "here",
  enforces: true,
  waivers: "allowed",
  signatures: "unknown",
} as const;

const PROFILE = `[permissions.mine]
extends = ":workspace"
[permissions.mine.filesystem]
"/etc/hostname" = "deny"
":workspace_roots" = { "." = "write", "out" = "read" }
`;

function world(): CliWorld {
  const folder = temporaryFolder({ "ws/out/x": "", "home/config.toml": PROFILE });
  return {
    out: () => {},
    err: () => {},
    env: { WRIT_HOME: path.join(folder, "home"), PATH: "/usr/bin:/bin", TMPDIR: "/var/tmp" },
    cwd: path.join(folder, "ws"),
    home: folder,
    hostname: "host",
    platform: "linux",
  };
}

describe("one intent", () => {
  it.each([
    ["read-only", { sandbox: "read-only" }],
    ["workspace-write", { sandbox: "workspace-write" }],
    ["workspace-write with the network", { sandbox: "workspace-write", network: true }],
    ["a profile with carve-outs", { profile: "mine" }],
    ["a waived sandbox", { sandbox: "danger-full-access" }],
  ])("gives one plan on every road: %s", async (_, flags) => {
    const here = world();
    const flagged = await bindFlags(flags, here);
    const { request, host } = startOfFlags(["ls", "-l"], flagged, { flags, world: here });
    const local = await planStart(request, host);
    const wire = JSON.stringify(writeStart(request, { kind: "writ", promise, system: "linux" }));
    const arrived = processMethods.start.params.parse(readJson(wire, JSON_LIMITS));
    const remote = await planStart(readStart(arrived), host);
    expect(remote.plan).toEqual(local.plan);
    expect(remote.bound).toEqual(local.bound);
    expect(local.bound).toEqual(flagged.bound);
    expect(local.plan.tier).toBe(
      "sandbox" in flags && flags.sandbox === "danger-full-access" ? "none" : "namespaces",
    );
  });
});
