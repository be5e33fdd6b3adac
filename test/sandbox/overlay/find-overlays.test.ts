import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { deviceOf } from "../../../src/sandbox/overlay/check-overlays.ts";
import { findOverlays } from "../../../src/sandbox/overlay/find-overlays.ts";

const OVERLAY = { path: at("/srv/ws"), upper: at("/own/upper"), work: at("/own/work") };
const TABLE = `43 39 254:0 / / rw,relatime - ext4 /dev/vda rw
65 43 0:39 / /srv/ws rw,relatime - overlay overlay rw,lowerdir=.,upperdir=/own/upper,workdir=/own/work,userxattr
`;

describe("findOverlays", () => {
  it("finds each with the numbers of its file system", () => {
    expect(findOverlays([OVERLAY], TABLE)).toEqual([{ path: "/srv/ws", device: "0:39" }]);
  });

  it.each([
    ["nothing is mounted there", "/srv/ws rw", "/srv/other rw"],
    ["it is another kind of file system", "- overlay", "- ext4"],
    ["it writes elsewhere", "upperdir=/own/upper", "upperdir=/own/upper2"],
    ["it works elsewhere", "workdir=/own/work", "workdir=/own/work2"],
    ["it takes the words of root", ",userxattr", ""],
    ["it cannot be written", "/srv/ws rw", "/srv/ws ro"],
    ["a part of it is mounted", "0:39 / /srv/ws", "0:39 /part /srv/ws"],
    ["it is covered", "userxattr\n", "userxattr\n66 65 0:40 / /srv/ws rw - tmpfs tmpfs rw\n"],
    ["a folder above it is", "userxattr\n", "userxattr\n66 43 0:40 / /srv rw - tmpfs tmpfs rw\n"],
  ])("throws where %s", (_, from, to) => {
    const table = TABLE.replace(from, to);
    expect(table).not.toBe(TABLE);
    expect(() => findOverlays([OVERLAY], table)).toThrow(/not what it was to be/);
  });
});

describe("deviceOf", () => {
  it.each([
    [39, "0:39"],
    [0x1234, "18:52"],
    [0x100027, "0:295"],
    [65_024, "254:0"],
  ])("writes %d as a list of mounts does", (dev, text) => {
    expect(deviceOf(dev)).toBe(text);
  });
});
