import { describe, expect, it } from "vitest";
import { mountedElsewhere } from "../../../../src/sandbox/linux/mount-table/mounted-elsewhere.ts";
import { readMountTable } from "../../../../src/sandbox/linux/mount-table/read-mount-table.ts";

/** By device, what of it is mounted, and where. */
function tableOf(...mounts: readonly (readonly [string, string, string])[]) {
  const lines = mounts.map(
    ([device, root, path], id) => `${id + 1} 0 ${device} ${root} ${path} rw - ext4 /dev/x rw`,
  );
  return readMountTable(lines.join("\n"));
}

describe("mountedElsewhere", () => {
  it("finds nothing where every file system is mounted once", () => {
    const mounts = tableOf(["8:1", "/", "/"], ["0:2", "/", "/run"]);
    expect(mountedElsewhere(["/run/s", "/srv/s"], mounts)).toEqual([]);
  });

  it.each([
    ["a whole file system", "/run/d/s", ["0:2", "/", "/srv/run"], ["/srv/run/d/s"]],
    ["a folder of one", "/run/d/s", ["0:2", "/d", "/srv/d"], ["/srv/d/s"]],
    ["the file itself", "/run/d/s", ["0:2", "/d/s", "/srv/file"], ["/srv/file"]],
    ["a folder that was mounted on itself", "/run/d/s", ["0:2", "/d", "/run/d"], []],
    ["a folder with a similar name", "/run/d/s", ["0:2", "/dd", "/srv/d"], []],
    ["a folder of the root", "/data/u/s", ["8:1", "/data", "/srv/data"], ["/srv/data/u/s"]],
    ["the original of one", "/srv/data/u/s", ["8:1", "/data", "/srv/data"], ["/data/u/s"]],
  ] as const)("finds what is mounted once more: %s", (_, place, mount, found) => {
    const mounts = tableOf(["8:1", "/", "/"], ["0:2", "/", "/run"], mount);
    const others = mountedElsewhere([place], mounts);
    expect(others).toEqual(expect.arrayContaining([...found]));
    if (found.length === 0) expect(others).toEqual([]);
  });
});
