import { describe, expect, it } from "vitest";
import {
  readMountTable,
  topMounts,
} from "../../../../src/sandbox/linux/mount-table/read-mount-table.ts";
import { BUILT, HOST_SHARED, MOUNTED_OVER, ODD_NAMES } from "../support/mount-tables.ts";

function paths(text: string): string[] {
  return readMountTable(text).map(({ path }) => path);
}

describe("readMountTable", () => {
  it("reads what of a file system is mounted where, and whether it can be written", () => {
    expect(readMountTable(BUILT)).toContainEqual({
      id: "812",
      parent: "811",
      device: "254:0",
      root: "/srv/ws/.git",
      path: "/srv/ws/.git",
      readOnly: true,
      follows: false,
    });
    expect(readMountTable(BUILT).find(({ path }) => path === "/srv/ws")?.readOnly).toBe(false);
  });

  it("minds the mount's own options, not those of the file system behind it", () => {
    const line =
      "30 1 8:1 / /a rw,nosuid - ext4 /dev/sda1 ro\n31 1 8:1 / /b ro - ext4 /dev/sda1 rw";
    expect(readMountTable(line).map(({ readOnly }) => readOnly)).toEqual([false, true]);
    expect(readMountTable("30 1 8:1 / /a rw,error=ro - ext4 x rw")[0]?.readOnly).toBe(false);
  });

  it("reads names with spaces, tabs, line ends and backslashes", () => {
    expect(paths(ODD_NAMES)).toEqual(["/a b", "/a\tb", "/a\nb", "/a\\b", "/a\\040b", "/é"]);
  });

  it("knows what follows the host, whatever other fields there are", () => {
    const follows = Object.fromEntries(
      readMountTable(HOST_SHARED).map(({ path, follows: does }) => [path, does]),
    );
    expect(follows).toEqual({
      "/": true,
      "/slave": true,
      "/both": true,
      "/private": false,
      "/unbindable": false,
      "/shared:1": false,
    });
  });

  it("reads an empty table as no mounts", () => {
    expect(readMountTable("")).toEqual([]);
  });
});

describe("topMounts", () => {
  const top = (text: string, path: string) => topMounts(readMountTable(text)).get(path)?.id;

  it("takes the one that lies on the others, in whatever order they are listed", () => {
    const lines = [
      "39 1 8:1 / / rw - ext4 x rw",
      "40 39 8:1 / /a rw - ext4 x rw",
      "41 40 8:1 / /a ro - ext4 x rw",
      "42 41 0:9 / /a rw - tmpfs x rw",
    ];
    expect(top(lines.join("\n"), "/a")).toBe("42");
    expect(top(lines.toReversed().join("\n"), "/a")).toBe("42");
  });

  it("does not take a mount for covered by one on another path", () => {
    const lines = [
      "39 1 8:1 / / rw - ext4 x rw",
      "40 39 8:1 / /a rw - ext4 x rw",
      "41 40 8:1 / /a/b ro - ext4 x rw",
    ];
    expect(top(lines.join("\n"), "/a")).toBe("40");
  });

  it("does not take one that lies in a folder which was mounted over", () => {
    expect(top(MOUNTED_OVER, "/srv/ws/docs")).toBe("449");
    expect(top(MOUNTED_OVER.replace(/^449 .*\n/m, ""), "/srv/ws/docs")).toBe("415");
    expect(top(MOUNTED_OVER.replace(/^4(15|49) .*\n/gm, ""), "/srv/ws/docs")).toBeUndefined();
  });

  it("finds the root of a table that begins with itself", () => {
    expect(top("1 1 0:2 / / rw - rootfs rootfs rw\n2 1 8:1 / / ro - ext4 x rw", "/")).toBe("2");
  });

  it("has nothing for a path without a mount", () => {
    expect(top(BUILT, "/srv")).toBeUndefined();
  });
});
