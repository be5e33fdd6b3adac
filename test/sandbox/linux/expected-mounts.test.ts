import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { expectedMounts } from "../../../src/sandbox/linux/expected-mounts.ts";

const OVERLAY = { path: at("/srv/ws"), device: "0:39" };

describe("expectedMounts", () => {
  it("wants each mount in an overlay to be of it, and none elsewhere", () => {
    const mounts = [
      { op: "bindReadOnly", path: at("/") },
      { op: "bind", path: at("/srv/ws") },
      { op: "bindReadOnly", path: at("/srv/ws/.git") },
      { op: "pin", path: at("/srv/ws/a") },
      { op: "bind", path: at("/srv/ws2") },
      { op: "hideFile", path: at("/srv/ws/.env") },
    ] as const;
    const found = expectedMounts(mounts, [OVERLAY]);
    const ofOverlay = found.filter(({ device }) => device === "0:39").map(({ path }) => path);
    expect([...new Set(ofOverlay)]).toEqual(["/srv/ws", "/srv/ws/.git", "/srv/ws/a"]);
    expect(found.filter(({ device }) => device !== undefined && device !== "0:39")).toEqual([]);
  });

  it("wants an overlay to come along with a folder that is shown", () => {
    const read = expectedMounts([{ op: "bindReadOnly", path: at("/") }], [OVERLAY]);
    expect(read).toContainEqual({ path: "/srv/ws", readOnly: true, device: "0:39" });
    const write = expectedMounts([{ op: "bind", path: at("/srv") }], [OVERLAY]);
    expect(write).toContainEqual({ path: "/srv/ws", readOnly: false, device: "0:39" });
  });

  it("wants none that is hidden, or that nothing shows", () => {
    const hidden = [
      { op: "bindReadOnly", path: at("/") },
      { op: "hideFolder", path: at("/srv"), traversable: false },
    ] as const;
    expect(expectedMounts(hidden, [OVERLAY])).toEqual(expectedMounts(hidden, []));
    const empty = [{ op: "emptyRoot" }, { op: "bind", path: at("/usr") }] as const;
    expect(expectedMounts(empty, [OVERLAY])).toEqual(expectedMounts(empty, []));
  });
});
