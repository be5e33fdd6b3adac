/** Which workspace roots are the home of whoever runs the executor. */
import os from "node:os";
import { describe, expect, it } from "vitest";
import type { ExecHost } from "../../../src/exec/exec-host.ts";
import { homesOf, probePlaces } from "../../../src/exec/intent/probe-places.ts";
import { refuseRoot } from "../../../src/exec/intent/refuse-root.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { hostFor } from "../files/support/file-client.ts";

const RECORDED = parseAbsolutePath("/nobody/recorded");

function refuse(root: string, homes: ExecHost["homes"]) {
  const host = { ...hostFor({ roots: "notHome" }), homes };
  return () => refuseRoot(parseAbsolutePath(root), { field: "sandbox.workspaceRoots" }, host);
}

describe("without roots that the operator named", () => {
  it.each([
    ["nothing", undefined],
    ["an empty text", ""],
    ["a relative path", "nobody"],
    ["a folder that is not there", "/nonexistent"],
    ["another folder", "/nobody/elsewhere"],
  ])("the home of the user database is no root when HOME is %s", (_, variable) => {
    const homes = homesOf(variable, RECORDED);
    for (const root of [RECORDED, "/nobody", "/"]) {
      expect(refuse(root, homes)).toThrow("home folder of this executor");
    }
    expect(refuse("/nobody/work", homes)()).toHaveLength(1);
  });

  it("the home that HOME names is no root, whatever the user database says", () => {
    const homes = homesOf("/nobody/elsewhere", RECORDED);
    expect(refuse("/nobody/elsewhere", homes)).toThrow("home folder of this executor");
  });

  it("no folder is a root where nobody knows where the home is", () => {
    const homes = homesOf("", undefined);
    expect(refuse("/nobody/work", homes)).toThrow("it cannot be told where the home folder");
  });
});

it("the home of the user database is looked up for whoever runs this", () => {
  expect(probePlaces({}).homes).toEqual([os.userInfo().homedir]);
});
