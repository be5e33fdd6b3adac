import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  createControlGroup,
  newGroupName,
  sweepControlGroups,
} from "../../../src/sandbox/limits/control-group.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Folders stand for groups: what is asked here is which of them are touched. */
const place = () => ({ version: 1, parent: temporaryFolder() }) as const;
/** A process number that is never given out. */
const dead = () => newGroupName().replace(/^writ-\d+/, "writ-0");

describe("sweepControlGroups", () => {
  it("removes what a process left that is gone", async () => {
    const groups = place();
    mkdirSync(path.join(groups.parent, dead()));
    await sweepControlGroups(groups);
    expect(readdirSync(groups.parent)).toEqual([]);
  });

  it.each([
    ["of a living process", newGroupName()],
    ["of another pid namespace", newGroupName().replace(/^(writ-\d+-\d+)-\d+/, "$1-1")],
    ["of a service that begins with the same word", "writ-server.service"],
    ["with something after our form", `${dead()}.scope`],
  ])("leaves a group %s alone", async (_, name) => {
    const groups = place();
    mkdirSync(path.join(groups.parent, name));
    await sweepControlGroups(groups);
    expect(readdirSync(groups.parent)).toEqual([name]);
  });

  it("has nothing to do where the place is gone", async () => {
    await sweepControlGroups({ version: 1, parent: "/nonexistent" });
  });
});

describe("createControlGroup", () => {
  it("leaves nothing behind when a setting cannot be made", () => {
    const groups = place();
    expect(() => createControlGroup(groups, [{ file: "pids.max", value: "1" }])).toThrow(
      expect.objectContaining({
        code: "backendFailed",
        message: expect.stringContaining('Cannot set "pids.max" to 1: '),
      }),
    );
    expect(readdirSync(groups.parent)).toEqual([]);
  });

  it("does without a setting that a kernel may lack", async () => {
    const groups = place();
    const setting = { file: "memory.swap.max", value: "0", optional: true } as const;
    const group = createControlGroup(groups, [setting]);
    expect(readdirSync(groups.parent)).toHaveLength(1);
    await group.remove();
    expect(readdirSync(groups.parent)).toEqual([]);
  });
});
