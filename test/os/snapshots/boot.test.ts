/** Sandboxes that start from what was built once, with a real npm and real mounts. */
import { describe, expect, it } from "vitest";
import { sh, snapshotLab } from "./support/snapshot-lab.ts";

describe("a sandbox that starts from a snapshot", () => {
  it("case 88: has the programs of its packages, and plain ones have not", async () => {
    const lab = await snapshotLab();
    const session = lab.session(lab.source());
    expect(lab.registry.asked).toEqual([]);
    expect(await sh(session, "hello")).toMatchObject({ stdout: "hello from a package\n" });
    expect(lab.events).toContainEqual(expect.objectContaining({ origin: "snapshot" }));
    const plain = lab.session(undefined, "thread-2");
    expect((await sh(plain, "hello")).exitCode).toBe(127);
  });
});
