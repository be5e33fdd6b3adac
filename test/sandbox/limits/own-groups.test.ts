import { describe, expect, it } from "vitest";
import { aboveOwn, ownGroups } from "../../../src/sandbox/limits/own-groups.ts";

const mount = (root: string, point: string, rest: string) =>
  `30 20 0:27 ${root} ${point} rw,nosuid shared:9 - ${rest}`;
const UNIFIED = mount("/", "/sys/fs/cgroup", "cgroup2 cgroup2 rw,nsdelegate");

describe("ownGroups", () => {
  it("finds the group of the unified hierarchy", () => {
    expect(ownGroups("0::/user.slice/a.scope\n", UNIFIED)).toEqual([
      {
        version: 2,
        parent: "/sys/fs/cgroup/user.slice/a.scope",
        controllers: [],
        mountPoint: "/sys/fs/cgroup",
      },
    ]);
  });

  it("finds each old hierarchy by the controllers it is mounted with", () => {
    const mounts = [
      mount("/", "/sys/fs/cgroup/cpu,cpuacct", "cgroup cgroup rw,cpu,cpuacct"),
      mount("/", "/sys/fs/cgroup/pids", "cgroup cgroup rw,pids"),
    ].join("\n");
    const found = ownGroups("4:pids:/a\n3:cpu,cpuacct:/b\n2:memory:/c\n", mounts);
    expect(found.map(({ version, parent }) => `${version} ${parent}`)).toEqual([
      "1 /sys/fs/cgroup/pids/a",
      "1 /sys/fs/cgroup/cpu,cpuacct/b",
    ]);
  });

  it("reads the path below what a container has mounted", () => {
    const mounts = mount("/docker/1", "/sys/fs/cgroup", "cgroup2 cgroup rw");
    expect(ownGroups("0::/docker/1/x", mounts)[0]?.parent).toBe("/sys/fs/cgroup/x");
  });

  it.each([
    ["outside what is mounted", "0::/other", mount("/docker/1", "/sys/fs/cgroup", "cgroup2 c rw")],
    ["above the namespace", "0::/../other", UNIFIED],
    ["outside /sys, where a command could write", "0::/a", mount("/", "/cgroup", "cgroup2 c rw")],
    ["that is not mounted", "0::/a", ""],
    ["in words of another form", "nonsense", UNIFIED],
  ])("uses no group %s", (_, cgroup, mounts) => {
    expect(ownGroups(cgroup, mounts)).toEqual([]);
  });
});

describe("aboveOwn", () => {
  const above = (cgroup: string) => ownGroups(cgroup, UNIFIED).map(aboveOwn)[0];

  it("is the group that a unit was given for itself", () => {
    expect(above("0::/system.slice/writ.service/main")).toEqual({
      version: 2,
      parent: "/sys/fs/cgroup/system.slice/writ.service",
    });
  });

  it.each([
    ["0::/", "there is none"],
    ["0::/system.slice/writ.service", "it is a slice"],
  ])("is nothing for %s, since %s", (cgroup) => {
    expect(above(cgroup)).toBeUndefined();
  });
});
