import { describe, expect, it } from "vitest";
import { kernelMounts } from "../../../../src/sandbox/linux/mount-table/kernel-mounts.ts";

const line = (point: string, type: string) => `36 35 98:0 / ${point} rw,noatime - ${type} none rw`;

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

  it("refuses one whose name cannot be said", () => {
    expect(() => kernelMounts(line("/srv/\uFFFD", "proc"))).toThrow(
      expect.objectContaining({ code: "unenforceableRule" }),
    );
  });
});
