import { describe, expect, it } from "vitest";
import { kernelMounts } from "../../../../src/sandbox/linux/mount-table/kernel-mounts.ts";

/** A file system of each type. */
const line = (point: string, type: string) =>
  `36 35 ${type}:0 / ${point} rw,noatime - ${type} none rw`;

describe("kernelMounts", () => {
  it("finds what is about the host, and neither its usual places nor other file systems", () => {
    const table = [
      line("/proc", "proc"),
      line("/proc/sys/fs/binfmt_misc", "binfmt_misc"),
      line("/sys/fs/cgroup", "cgroup2"),
      line("/dev", "devtmpfs"),
      line("/dev/pts", "devpts"),
      line("/dev/shm", "tmpfs"),
      line("/processes", "proc"),
      line("/srv/root\\040fs/sys", "sysfs"),
      line("/srv/root\\040fs/sys", "sysfs"),
      line("/srv/dev", "devtmpfs"),
      line("/srv/dev/pts", "devpts"),
      line("/srv", "ext4"),
    ].join("\n");
    const found = ["/processes", "/srv/root fs/sys", "/srv/dev", "/srv/dev/pts"];
    expect(kernelMounts(table)).toEqual(found);
  });

  it("finds the devices of a container, which lie in a file system like any other", () => {
    const of = (device: string, point: string, root = "/") =>
      `36 35 ${device} ${root} ${point} rw - tmpfs none rw`;
    const table = [
      of("0:54", "/dev"),
      of("0:55", "/dev/shm"),
      of("0:54", "/srv/rootfs/dev"),
      of("0:54", "/srv/zero", "/zero"),
      of("0:55", "/srv/shm"),
      of("0:56", "/tmp"),
    ].join("\n");
    expect(kernelMounts(table)).toEqual(["/srv/rootfs/dev", "/srv/zero"]);
  });

  it("takes only what lies in /dev where that is a folder of a file system for all", () => {
    const of = (root: string, point: string) => `36 35 8:1 ${root} ${point} rw - ext4 none rw`;
    const table = [of("/", "/"), of("/guest/dev", "/dev"), of("/guest/dev/x", "/x")];
    const others = [of("/guest/devices", "/devices"), of("/home", "/home")];
    expect(kernelMounts([...table, ...others].join("\n"))).toEqual(["/x"]);
  });

  it("refuses one whose name cannot be said", () => {
    expect(() => kernelMounts(line("/srv/\uFFFD", "proc"))).toThrow(
      expect.objectContaining({ code: "unenforceableRule" }),
    );
  });
});
