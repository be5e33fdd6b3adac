import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { findMisplaced } from "../../../src/sandbox/linux/find-misplaced.ts";
import { BUILT, MOUNTED_OVER } from "./support/mount-tables.ts";

const EXPECTED = [
  { path: at("/"), readOnly: true },
  { path: at("/srv/ws"), readOnly: false },
  { path: at("/srv/ws/.git"), readOnly: true },
  { path: at("/srv/ws/a b"), readOnly: true },
];

/** The table after something went wrong on the way. */
function broken(from: string, to: string): string {
  const text = BUILT.replace(from, to);
  if (text === BUILT) throw new Error(`"${from}" is not in the table`);
  return text;
}

describe("findMisplaced", () => {
  it("finds nothing wrong with a sandbox that stands as planned", () => {
    expect(findMisplaced(EXPECTED, BUILT)).toBeUndefined();
  });

  it("finds a mount that is of another file system than the overlay it was to show", () => {
    const expected = (device: string) => [{ path: at("/srv/ws"), readOnly: false, device }];
    expect(findMisplaced(expected("254:0"), BUILT)).toBeUndefined();
    expect(findMisplaced(expected("0:39"), BUILT)).toContain("is not its overlay");
  });

  it.each([
    ["a mount that landed elsewhere", " /srv/ws/.git ro", " /srv/other ro", 'on "/srv/ws/.git"'],
    ["a mount whose name only begins alike", " /srv/ws/.git ro", " /srv/ws/.git2 ro", ".git"],
    ["a name that was escaped twice", "a\\040b", "a\\134040b", 'on "/srv/ws/a b"'],
    ["a read-only mount that can be written", "/srv/ws/.git ro", "/srv/ws/.git rw", "is writable"],
    ["a root that can be written", " / / ro", " / / rw", '"/" is writable'],
    ["a folder that was removed", "/srv/ws/.git /", "/srv/ws/.git//deleted /", "was removed"],
    [
      "a mount that follows the host",
      "relatime - ext4",
      "relatime shared:7 - ext4",
      "appear below",
    ],
    ["one that the host's mounts go into", "relatime - ext4", "relatime master:7 - ext4", "appear"],
  ])("finds %s", (_, from, to, words) => {
    expect(findMisplaced(EXPECTED, broken(from, to))).toContain(words);
  });

  it("judges a list anew when it has changed, and again when it has changed back", () => {
    const other = broken("/srv/ws/.git ro", "/srv/ws/.git rw");
    const found = [BUILT, other, other, BUILT].map((table) => findMisplaced(EXPECTED, table));
    const fault = '"/srv/ws/.git" is writable';
    expect(found).toEqual([undefined, fault, fault, undefined]);
  });

  it("looks at what lies on top: a writable mount over a read-only one is found", () => {
    const over = "990 812 8:1 /elsewhere /srv/ws/.git rw,relatime - ext4 /dev/vda rw";
    expect(findMisplaced(EXPECTED, `${BUILT}${over}\n`)).toBe('"/srv/ws/.git" is writable');
  });

  it("is not misled by a read-only mount in a folder that was mounted over", () => {
    const expected = [{ path: at("/srv/ws/docs"), readOnly: true }];
    expect(findMisplaced(expected, MOUNTED_OVER)).toBeUndefined();
    const without = MOUNTED_OVER.replace(/^449 .*\n/m, "");
    expect(findMisplaced(expected, without)).toBe('"/srv/ws/docs" is writable');
  });

  it("takes a read-only mount where a writable one was planned: that opens nothing", () => {
    expect(findMisplaced(EXPECTED, broken("/srv/ws rw", "/srv/ws ro"))).toBeUndefined();
  });

  it("finds everything missing in an empty table", () => {
    expect(findMisplaced(EXPECTED, "")).toBe('nothing is mounted on "/"');
  });
});
