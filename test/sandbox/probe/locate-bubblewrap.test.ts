import { chmodSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { distrustOf, distrustOfWay, type WayPart } from "../../../src/sandbox/probe/distrust-of.ts";
import { locateBubblewrap } from "../../../src/sandbox/probe/locate-bubblewrap.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SELF = 1000;
const FOLDER = 0o040755;
const way = (file: Partial<WayPart> = {}, folder: Partial<WayPart> = {}): WayPart[] => [
  { path: "/", uid: 0, mode: FOLDER },
  { path: "/opt", uid: 0, mode: FOLDER, ...folder },
  { path: "/opt/bwrap", uid: 0, mode: 0o100755, ...file },
];

describe("distrustOfWay", () => {
  it("trusts a program that root alone can replace", () => {
    expect(distrustOfWay(way(), SELF)).toBeUndefined();
    expect(distrustOfWay(way({}, { mode: 0o041777 }), SELF)).toBeUndefined();
    expect(distrustOfWay(way({}, { mode: 0o120777 }), SELF)).toBeUndefined();
  });

  it.each([
    ["a setuid one", way({ mode: 0o104755 }), "/opt/bwrap is setuid or setgid"],
    ["a setgid one", way({ mode: 0o102755 }), "/opt/bwrap is setuid or setgid"],
    ["one of this user", way({ uid: SELF }), "/opt/bwrap belongs to user 1000"],
    ["one of another user", way({ uid: 1001 }), "/opt/bwrap belongs to user 1001"],
    ["one that a group can write", way({ mode: 0o100775 }), "/opt/bwrap can be written by others"],
    ["one in a folder of a user", way({}, { uid: 1001 }), "/opt belongs to user 1001"],
    ["one in a folder for all", way({}, { mode: 0o040777 }), "/opt can be written by others"],
    [
      "one behind a user's link",
      way({}, { mode: 0o120777, uid: SELF }),
      "/opt belongs to user 1000",
    ],
    ["a folder", way({ mode: FOLDER }), "/opt/bwrap is not a file"],
    ["a device", way({ mode: 0o020755 }), "/opt/bwrap is not a file"],
    ["one that cannot run", way({ mode: 0o100644 }), "/opt/bwrap cannot be executed"],
    ["nothing", [], "there is no such file"],
  ])("refuses %s", (_, parts, detail) => {
    expect(distrustOfWay(parts, SELF)?.detail).toBe(detail);
  });

  it("takes the owner of / for root where root has no number, unless that is this user", () => {
    const unmapped = way().map((part) => ({ ...part, uid: 65_534 }));
    expect(distrustOfWay(unmapped, SELF)).toBeUndefined();
    expect(distrustOfWay(unmapped, 65_534)).toEqual({ detail: "/ belongs to user 65534" });
  });
});

describe("distrustOf", () => {
  it("trusts a program of the system, through links too", () => {
    expect(distrustOf("/usr/bin/env")).toBeUndefined();
    expect(distrustOf("/bin/sh")).toBeUndefined();
  });

  it("looks at every folder that a link leads through", () => {
    const open = temporaryFolder();
    chmodSync(open, 0o777);
    symlinkSync("/usr/bin/env", path.join(open, "hop"));
    const link = path.join(temporaryFolder(), "bwrap");
    symlinkSync(path.join(open, "hop"), link);
    expect(distrustOf(link)?.detail).toMatch(/can be written by others|belongs to user/);
  });
});

describe("locateBubblewrap", () => {
  it("takes the first that can be trusted", () => {
    const planted = path.join(temporaryFolder({ bwrap: "#!/bin/sh\n" }), "bwrap");
    chmodSync(planted, 0o6755);
    const { path: found, primitive } = locateBubblewrap(["/no/bwrap", planted, "/usr/bin/env"]);
    expect(found).toBe("/usr/bin/env");
    expect(primitive).toEqual({
      name: "bubblewrap",
      level: "needed",
      present: true,
      detail: "/usr/bin/env",
    });
  });

  it("refuses one that others can write, says how to close it and does not start it", () => {
    const folder = temporaryFolder();
    const planted = path.join(folder, "bwrap");
    writeFileSync(planted, `#!/bin/sh\ntouch ${folder}/ran\n`);
    chmodSync(planted, 0o777);
    const { path: found, primitive } = locateBubblewrap([planted]);
    expect(found).toBeUndefined();
    expect(primitive).toMatchObject({ present: false, detail: expect.stringContaining(folder) });
    expect(primitive.fix).toMatch(/chmod go-w|chown/);
    expect(existsSync(path.join(folder, "ran"))).toBe(false);
  });

  it("looks neither on the PATH nor in the working directory", () => {
    const { path: found, primitive } = locateBubblewrap([]);
    expect(found).toBeUndefined();
    expect(primitive.fix).toContain("bubblewrap");
    const nowhere = locateBubblewrap(["/no/such/bwrap"]);
    expect(nowhere.primitive.detail).toBe("not in /no/such/bwrap");
  });
});
