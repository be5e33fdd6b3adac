import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import type { Mount } from "../../../src/sandbox/linux/mount.ts";
import { sightsOf } from "../../../src/sandbox/linux/sight.ts";

const KERNEL: readonly Mount[] = [{ op: "devices" }, { op: "processes", hidden: [], readOnly: [] }];

const SHOWN: readonly Mount[] = [
  { op: "bindReadOnly", path: at("/") },
  ...KERNEL,
  { op: "bind", path: at("/ws") },
  { op: "bindReadOnly", path: at("/ws/.git") },
  { op: "pin", path: at("/ws/a") },
  { op: "hideFolder", path: at("/ws/a/closed"), traversable: false },
  { op: "hideFile", path: at("/ws/x.env") },
  { op: "hideFolder", path: at("/out"), traversable: true },
  { op: "passage", path: at("/out/in") },
  { op: "bind", path: at("/out/in/open") },
  { op: "seal", path: at("/out") },
];

const EMPTY: readonly Mount[] = [
  { op: "emptyRoot" },
  ...KERNEL,
  { op: "link", path: at("/bin"), target: "usr/bin" },
  { op: "bindReadOnly", path: at("/usr") },
  { op: "bind", path: at("/srv/ws") },
  { op: "seal", path: at("/") },
];

describe("sightsOf", () => {
  it.each([
    ["/", { kind: "open", access: "read", fixed: true }],
    ["/etc/x", { kind: "open", access: "read", fixed: false }],
    ["/ws", { kind: "open", access: "write", fixed: true }],
    ["/ws/f", { kind: "open", access: "write", fixed: false }],
    ["/ws/.git/config", { kind: "open", access: "read", fixed: false }],
    ["/ws/a", { kind: "open", access: "write", fixed: true }],
    ["/ws/a/closed", { kind: "hidden" }],
    ["/ws/a/closed/f", { kind: "hidden" }],
    ["/ws/x.env", { kind: "hidden" }],
    ["/out", { kind: "passage" }],
    ["/out/f", { kind: "absent" }],
    ["/out/in", { kind: "passage" }],
    ["/out/in/f", { kind: "absent" }],
    ["/out/in/open/f", { kind: "open", access: "write", fixed: false }],
    ["/proc/self", { kind: "own" }],
    ["/dev/null", { kind: "own" }],
  ])("finds at %s what the mounts make of it", (path, sight) => {
    expect(sightsOf(SHOWN)(at(path))).toEqual(sight);
  });

  it.each([
    ["/", { kind: "listed", names: ["dev", "proc", "bin", "usr", "srv"] }],
    ["/bin", { kind: "link" }],
    ["/bin/sh", { kind: "absent" }],
    ["/usr/bin/sh", { kind: "open", access: "read", fixed: false }],
    ["/srv", { kind: "listed", names: ["ws"] }],
    ["/srv/other", { kind: "absent" }],
    ["/etc", { kind: "absent" }],
  ])("finds at %s in an empty root only what was put there", (path, sight) => {
    expect(sightsOf(EMPTY)(at(path))).toEqual(sight);
  });
});
