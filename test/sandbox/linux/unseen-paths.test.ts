/** Its twin with a real kernel is `test/os/red-team/kernel/kernel-files.test.ts`. */
import { describe, expect, it } from "vitest";
import type { AbsolutePath, BoundProfile } from "../../../src/policy/index.ts";
import { mountFlags } from "../../../src/sandbox/linux/mount.ts";
import { planMounts } from "../../../src/sandbox/linux/plan-mounts.ts";
import { unseenPaths } from "../../../src/sandbox/linux/unseen-paths.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const HOST = [
  ...["/proc/keys", "/proc/sysrq-trigger", "/proc/mtrr", "/proc/acpi/", "/proc/scsi/"],
  ...["/run/", "/tmp/.X11-unix/", "/r/"],
];
const SOCKETS = ["/run/docker.sock", "/tmp/.X11-unix/X0", "/r/agent.sock"] as AbsolutePath[];
const files = { ...fileTree(...HOST, ...SOCKETS), sockets: () => SOCKETS };

function unseen(change: Partial<BoundProfile>, uid = 1000): string[] {
  const profile = { ...boundWith([[":root", "read"]]), ...change };
  return unseenPaths({ profile, uid, files });
}

describe("unseenPaths", () => {
  it("hides keys from everybody, and from root what root alone may write", () => {
    expect(unseen({})).toEqual(["/proc/keys"]);
    expect(unseen({}, 0)).toEqual([
      ...["/proc/keys", "/proc/sysrq-trigger", "/proc/mtrr"],
      ...["/proc/acpi", "/proc/scsi"],
    ]);
  });

  it("hides the kernel's file systems wherever else they are mounted", () => {
    const mounts = ["/r/rootfs/proc", "/r/gone"] as AbsolutePath[];
    const there = { ...fileTree("/r/rootfs/proc/"), kernelMounts: () => mounts };
    const profile = boundWith([[":root", "read"]]);
    expect(unseenPaths({ profile, uid: 1000, files: there })).toEqual(["/r/rootfs/proc"]);
  });

  it("names nothing that is not there", () => {
    const profile = boundWith([[":root", "read"]]);
    expect(unseenPaths({ profile, uid: 0, files: fileTree("/r/") })).toEqual([]);
  });

  it("hides every socket of the host from a command that may make its own, also in folders it hides", () => {
    const network = { kind: "restricted" } as const;
    expect(unseen({ unixSockets: "private", network })).toEqual([
      ...["/proc/keys", "/run", "/tmp/.X11-unix"],
      ...SOCKETS,
    ]);
  });

  it.each(["none", "host"] as const)("leaves sockets alone where they are %s", (unixSockets) => {
    expect(unseen({ unixSockets })).toEqual(["/proc/keys"]);
  });

  it("leaves sockets to the filter where the network is the host's", () => {
    const network = { kind: "enabled" } as const;
    expect(unseen({ unixSockets: "private", network })).toEqual(["/proc/keys"]);
  });

  it("can do without sockets of the host and their folders once they are gone, but not without what a rule hides as well", () => {
    const unixSockets = "private" as const;
    const network = { kind: "restricted" } as const;
    const paths = unseen({ unixSockets, network }) as AbsolutePath[];
    const own = { hidden: [], readOnly: [] };
    const open = boundWith([[":root", "read"]]);
    expect(planMounts(open, { files, own, unseen: paths }).fleeting).toEqual([
      ...["/run", "/tmp/.X11-unix", "/r/agent.sock"],
    ]);
    const ruled = boundWith([
      [":root", "read"],
      ["/r/agent.sock", "deny"],
    ]);
    const { fleeting } = planMounts(ruled, { files, own, unseen: paths });
    expect(fleeting).toEqual(["/run", "/tmp/.X11-unix"]);
  });

  it("has files covered and folders of drivers made read-only", () => {
    const paths = unseen({}, 0) as AbsolutePath[];
    const profile = boundWith([[":root", "read"]]);
    const { mounts } = planMounts(profile, {
      files,
      own: { hidden: [], readOnly: [] },
      unseen: paths,
    });
    const flags = mounts.flatMap((mount) => mountFlags(mount, () => 9).join(" ")).join("\n");
    expect(flags).toContain("--ro-bind /dev/null /proc/mtrr --ro-bind /proc/acpi /proc/acpi");
  });
});
