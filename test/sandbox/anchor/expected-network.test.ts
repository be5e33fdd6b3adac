import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import type { LaunchPlan } from "../../../src/sandbox/launch-plan.ts";
import { faultOf } from "../../../src/sandbox/run/await-built.ts";

function planIn(expectedNetwork: string): LaunchPlan {
  return {
    ...{ tier: "namespaces", prefix: [], argv: ["bwrap"], cwd: at("/"), env: {}, terminal: "none" },
    descriptors: [{ kind: "gate", bytes: new Uint8Array() }],
    ...{
      placeholders: [],
      watched: [],
      fleeting: [],
      launchFiles: [],
      limits: undefined,
      expectedMounts: [],
    },
    expectedNetwork,
  };
}

describe("faultOf", () => {
  it("finds a sandbox that is not in the network it was to join", () => {
    expect(faultOf(planIn("4:1"), process.pid)).toBe(
      "it is in another network than it was to join",
    );
  });

  it("finds nothing in the network it was to join", () => {
    const { dev, ino } = statSync("/proc/self/ns/net");
    expect(faultOf(planIn(`${dev}:${ino}`), process.pid)).toBeUndefined();
  });
});
