/** Steps of a build on an executor that does what a test says. */
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import { buildLayer } from "../../../../src/session/provider/local/snapshots/build-layer.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { intentIn, NEVER } from "../support/sandbox-of.ts";
import { type ScriptedProcess, scriptedExecutor } from "../support/scripted-executor.ts";

const ROOM = { mostTaken: Number.POSITIVE_INFINITY, leastLeft: 0 };

/** A build of one step, which prints what a test says and exits with 0. */
async function buildOf(print: (process: ScriptedProcess) => void) {
  const executor = scriptedExecutor({ anchors: true });
  const { anchors } = executor;
  if (anchors === undefined) throw new Error("it has no anchors");
  const layer = parseAbsolutePath(temporaryFolder());
  const building = buildLayer(executor, anchors, {
    ...{ id: "1", layer, intent: intentIn(layer), signal: NEVER },
    commands: [{ name: "install", argv: ["install"], failure: /LEFT_OUT/ }],
    onStep: () => {},
    room: ROOM,
  });
  await expect.poll(() => executor.started.length).toBe(1);
  const process = executor.started[0]?.process;
  if (process === undefined) throw new Error("it was not started");
  print(process);
  process.exit(0);
  return building;
}

describe("buildLayer", () => {
  it("finds what was left out in a piece that is longer than what is kept", async () => {
    const building = buildOf((process) => process.print(`LEFT_OUT ${"x".repeat(20_000)}`));
    await expect(building).rejects.toMatchObject({
      message: expect.stringContaining('"install" left something out'),
    });
  });

  it("finds what was left out where it comes in two pieces", async () => {
    const building = buildOf((process) => {
      process.print("LEFT");
      process.print("_OUT");
    });
    await expect(building).rejects.toMatchObject({ code: "snapshotFailed" });
  });

  it("starts nothing where there is less room than it has to leave", async () => {
    const executor = scriptedExecutor({ anchors: true });
    const { anchors } = executor;
    if (anchors === undefined) throw new Error("it has no anchors");
    const layer = parseAbsolutePath(temporaryFolder());
    const building = buildLayer(executor, anchors, {
      ...{ id: "1", layer, intent: intentIn(layer), signal: NEVER, onStep: () => {} },
      commands: [{ name: "install", argv: ["install"] }],
      room: { ...ROOM, leastLeft: Number.POSITIVE_INFINITY },
    });
    await expect(building).rejects.toMatchObject({
      code: "snapshotFailed",
      message: expect.stringContaining("too little room on the disk"),
    });
    expect(executor.started).toEqual([]);
  });

  it("settles where nothing was left out", async () => {
    await expect(buildOf((process) => process.print("all of it"))).resolves.toBeUndefined();
  });
});
