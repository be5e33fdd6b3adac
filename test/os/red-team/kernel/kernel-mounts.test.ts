/** File systems of the kernel that are mounted in a folder, as in a root file system that is being built. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

const FILE_SYSTEMS = { proc: "proc", sys: "sysfs", dev: "devtmpfs" };
const MOUNT = [
  ...Object.entries(FILE_SYSTEMS).map(([name, type]) => `mount -t ${type} ${type} rootfs/${name}`),
  // In a container /dev is a file system like any other.
  "mount --rbind /dev rootfs/bound",
].join(" && ");
/** The host's, and settings that stay as they are: what was read is written back. */
const PROBE = `ls rootfs/proc | grep -c '^[0-9]'
(cat rootfs/proc/sys/kernel/printk > rootfs/proc/sys/kernel/printk) 2>/dev/null && echo wrote a setting
ls rootfs/sys/kernel rootfs/dev rootfs/bound 2>/dev/null; cat rootfs/proc/1/status 2>/dev/null
for dev in dev bound; do chmod 0666 rootfs/$dev/full 2>/dev/null && echo changed a device; done
mv rootfs elsewhere 2>/dev/null && echo moved
echo control > rootfs/made && cat rootfs/made`;

/** Only root mounts them; a command of another user could reach them all the same. */
const MOUNTED = process.getuid?.() === 0 ? USERS : [];

describe.each(MOUNTED)("writ run as %s", (user) => {
  it("C2 hides the kernel's own wherever they are mounted", () => {
    const place = placeFor(user);
    for (const name of [...Object.keys(FILE_SYSTEMS), "bound"]) {
      mkdirSync(path.join(place.workspace, "rootfs", name), { recursive: true });
    }
    place.give();
    const { workspace: cwd, env } = place;
    const ran = (words: readonly string[]) => {
      const script = ["-m", "/bin/sh", "-c", `${MOUNT} && exec "$0" "$@"`, ...words];
      return spawnSync("/usr/bin/unshare", script, { cwd, env, encoding: "utf8" }).stdout;
    };
    const shell = ["/bin/sh", "-c", PROBE];
    const confined = ["run", "--sandbox", "workspace-write", "--", ...shell];
    expect(Number(ran(["/bin/sh", "-c", "ls rootfs/proc | grep -c '^[0-9]'"]))).toBeGreaterThan(4);
    expect(ran(place.argv(confined))).toBe("0\ncontrol\n");
    const listing = ["/bin/sh", "-c", "ls rootfs/proc | grep -c '^[0-9]'"];
    expect(ran(place.argv(["run", "--sandbox", "read-only", "--", ...listing]))).toBe("0\n");
  });
});
