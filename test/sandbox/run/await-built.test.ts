import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import type { LaunchPlan } from "../../../src/sandbox/launch-plan.ts";
import { awaitBuilt, faultOf } from "../../../src/sandbox/run/await-built.ts";

/** A process that waits at a gate on descriptor 3, and has no mount where one is expected. */
function waiting(): { child: ChildProcess; plan: LaunchPlan } {
  const script = `require("fs").readSync(3, Buffer.alloc(1))`;
  const child = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const cwd = at("/");
  return {
    child,
    plan: {
      ...{ tier: "namespaces", prefix: [], argv: ["bwrap"], cwd, env: {}, terminal: "none" },
      descriptors: [{ kind: "gate", bytes: new Uint8Array() }],
      ...{ placeholders: [], watched: [], fleeting: [], launchFiles: [], limits: undefined },
      expectedMounts: [{ path: at("/nonexistent"), readOnly: false }],
    },
  };
}

const MISPLACED = /^nothing is mounted on "\/nonexistent": a path changed/;

describe("awaitBuilt", () => {
  it("is done when the sandbox stands at its gate", async () => {
    const { child, plan } = waiting();
    const signs = { built: Promise.resolve(), over: new AbortController().signal };
    expect(await awaitBuilt(plan, Number(child.pid), signs)).toBeUndefined();
    expect(faultOf(plan, Number(child.pid))).toMatch(MISPLACED);
  });

  it("looks by itself when the back-end gives no sign", async () => {
    const { child, plan } = waiting();
    const signs = { built: new Promise<void>(() => {}), over: new AbortController().signal };
    expect(await awaitBuilt(plan, Number(child.pid), signs)).toBeUndefined();
    expect(child.exitCode).toBeNull();
  });

  it("says nothing of what is over", async () => {
    const { child, plan } = waiting();
    const signs = { built: undefined, over: AbortSignal.abort("over") };
    expect(await awaitBuilt(plan, Number(child.pid), signs)).toBeUndefined();
  });
});
