import { describe, expect, it } from "vitest";
import { findControlGroups } from "../../../../src/sandbox/probe/traits/find-control-groups.ts";
import { parseMounts } from "../../../../src/sandbox/probe/traits/parse-mounts.ts";
import * as samples from "./sample-hosts.ts";

const groupsOf = (host: samples.SampleHost) => {
  const { version, folders } = findControlGroups(samples.filesOf(host));
  return { version, folders: Object.fromEntries(folders) };
};

describe("findControlGroups", () => {
  it("finds a group of version 2 that was handed to the user", () => {
    const folder = "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope";
    expect(groupsOf(samples.debian)).toEqual({
      version: 2,
      folders: { memory: folder, pids: folder },
    });
  });

  it("finds the writable controllers of version 1, where each is mounted", () => {
    expect(groupsOf(samples.cgroupOne)).toEqual({
      version: 1,
      folders: { cpu: "/sys/fs/cgroup/cpu,cpuacct/docker/4f0", memory: "/sys/fs/cgroup/memory" },
    });
  });

  it.each([
    ["a session that systemd keeps", samples.ubuntuRestricted],
    ["a read-only mount", samples.docker],
    ["no files", { files: {} }],
  ])("finds none under %s", (_, host) => {
    expect(groupsOf(host).folders).toEqual({});
  });

  it("finds none when the processes of the group cannot be moved", () => {
    const writable = samples.debian.writable?.filter((one) => !one.endsWith("procs")) ?? [];
    expect(groupsOf({ ...samples.debian, writable }).folders).toEqual({});
  });

  it("names no folder for a group outside of what is mounted", () => {
    const files = {
      ...samples.debian.files,
      "/proc/self/cgroup": "0::/../../other.scope",
      "/sys/fs/cgroup/../../other.scope/cgroup.controllers": "memory pids",
    };
    const folder = "/sys/fs/cgroup/../../other.scope";
    const host = { files, writable: [folder, `${folder}/cgroup.procs`] };
    expect(groupsOf(host).folders).toEqual({});
  });
});

describe("parseMounts", () => {
  it("reads names with spaces and tells how mounts travel", () => {
    const text = samples.debian.files["/proc/self/mountinfo"] ?? "";
    expect(parseMounts(text).map(({ point, propagation }) => [point, propagation])).toEqual([
      ["/", "shared"],
      ["/sys/fs/cgroup", "shared"],
      ["/media/my disk", "private"],
    ]);
  });

  it("skips lines of another shape", () => {
    expect(parseMounts("\nnonsense\n1 2 3\n")).toEqual([]);
  });
});
