import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import type { LaunchPlan } from "../../../src/sandbox/launch-plan.ts";
import { awaitBuilt } from "../../../src/sandbox/run/await-built.ts";

/** A process that waits at a gate on descriptor 3, in the network of the test. */
function waiting(): number {
  const script = `require("fs").readSync(3, Buffer.alloc(1))`;
  const child = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return Number(child.pid);
}

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

const SIGNS = { built: Promise.resolve(), over: new AbortController().signal };

it("refuses a sandbox that is not in the network it was to join", async () => {
  expect(await awaitBuilt(planIn("4:1"), waiting(), SIGNS)).toBe(
    "it is in another network than it was to join",
  );
});

it("lets a sandbox run that is in the network it was to join", async () => {
  const { dev, ino } = statSync("/proc/self/ns/net");
  expect(await awaitBuilt(planIn(`${dev}:${ino}`), waiting(), SIGNS)).toBeUndefined();
});
