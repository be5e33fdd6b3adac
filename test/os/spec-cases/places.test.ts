/** Missing paths, single files and symbols: cases 10, 12 and 21 to 34, and the whole-disk cases 73 and 74. */
import { readlinkSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { USERS } from "../support/sandbox-user.ts";
import { SpecPlace } from "./spec-place.ts";

const ROOT: Rule = [":root", "read"];
const WORKSPACE: readonly Rule[] = [ROOT, [":workspace_roots", "write"]];

/** A start takes away what killed runs left on the host: that is not to be taken for what the probe did. */
function removeLeftovers(place: SpecPlace, flags: readonly string[]): void {
  expect(place.sh("true", flags).status).toBe(0);
}

describe.each(USERS)("missing and single paths as %s", (user) => {
  it("case 10: one read-only folder of a writable disk", () => {
    const place = new SpecPlace(user, "docs/f", "f", "/o/f");
    const flags = place.state([
      [":root", "write"],
      ["/r/docs", "read"],
    ]);
    removeLeftovers(place, flags);
    const { "/.git": git, ...found } = place.probe(flags, ["/r/docs/f", "/r/f", "/o/f", "/.git"]);
    expect(found).toEqual({ "/r/docs/f": "R-", "/r/f": "RW", "/o/f": "RW" });
    // Who could make it finds it covered; to anybody else it may be missing.
    expect(user === "root" ? ["R-"] : ["R-", "missing"]).toContain(git);
  });

  it("case 12: nothing runs where the whole disk is hidden", () => {
    const place = new SpecPlace(user);
    const flags = place.state([
      [":root", "write"],
      [":root", "deny"],
    ]);
    expect(place.refused(flags)).toMatchObject({ status: 125 });
  });

  it("case 21: a denied path that is missing below a read-only folder stays missing", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([ROOT, ["/r/nope", "deny"]]);
    expect(place.probe(flags, ["/r/nope", "/r/f"])).toEqual({ "/r/nope": "missing", "/r/f": "R-" });
    expect(place.exists("/r/nope")).toBe(false);
  });

  it("case 22: a denied path that is missing below a writable folder cannot be made, by an empty folder where Codex has an empty file", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([...WORKSPACE, ["/r/nope/deep/x", "deny"]]);
    const paths = ["/r/nope", "/r/nope/deep", "/r/nope/deep/x", "/r/f"];
    expect(place.probe(flags, paths)).toEqual({
      "/r/nope": "R-",
      "/r/nope/deep": "R-",
      "/r/nope/deep/x": "--",
      "/r/f": "RW",
    });
    expect(place.exists("/r/nope")).toBe(false);
  });

  it.each([
    ["case 23: a read-only path that is missing cannot be made", undefined],
    ["case 24: skip changes nothing about that", "skip"],
  ] as const)("%s", (_, missing) => {
    const place = new SpecPlace(user, "f");
    const rule: Rule = missing ? ["/r/.tool", "read", missing] : ["/r/.tool", "read"];
    const paths = ["/r/.tool", "/r/.tool/x", "/r/f"];
    expect(place.probe(place.state([...WORKSPACE, rule]), paths)).toEqual({
      "/r/.tool": "R-",
      "/r/.tool/x": "missing",
      "/r/f": "RW",
    });
    expect(place.exists("/r/.tool")).toBe(false);
  });

  it("case 25: a writable folder that is missing opens nothing where it could not be made", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([ROOT, ["/r/gone", "write"]]);
    expect(place.probe(flags, ["/r/gone", "/r/f"])).toEqual({ "/r/gone": "missing", "/r/f": "R-" });
  });

  it("case 26: a single writable file works, with which Codex does not start", () => {
    const place = new SpecPlace(user, "log", "f");
    const flags = place.state([ROOT, ["/r/log", "write"]]);
    expect(place.probe(flags, ["/r/log", "/r/f", "/r"])).toEqual({
      "/r/log": "RW",
      "/r/f": "R-",
      "/r": "R-",
    });
  });
});

describe.each(USERS)("symbols as %s", (user) => {
  it.each([
    ["case 29: the temporary folder is writable, and protected names hold in it", []],
    ["case 30: a read rule on the same folder by name changes nothing", [["/tmp", "read"]]],
  ] as const)("%s", (_, more: readonly Rule[]) => {
    const place = new SpecPlace(user, "f");
    const own = `/tmp/writ-spec-${process.pid}`;
    onTestFinished(() => rmSync(own, { force: true }));
    const flags = place.state([ROOT, ...more, [":slash_tmp", "write"]]);
    removeLeftovers(place, flags);
    expect(place.probe(flags, [own, "/tmp/.git", "/r/f"])).toEqual({
      [own]: "C",
      "/tmp/.git": "R-",
      "/r/f": "R-",
    });
  });

  it("case 31: TMPDIR of whoever starts the command is opened; unset opens nothing, relative is below the folder it was said in", () => {
    const rules: readonly Rule[] = [ROOT, [":tmpdir", "write"]];
    const found = [{ TMPDIR: "/o/t" }, {}, { TMPDIR: "t" }, { TMPDIR: "" }].map(({ TMPDIR }) => {
      const place = new SpecPlace(user, "/o/t/f", "/r/t/f");
      const env = TMPDIR === undefined ? undefined : { TMPDIR: place.at(TMPDIR) };
      const how = { from: "/o", ...(env && { env }) };
      return Object.values(place.probe(place.state(rules), ["/o/t/f", "/r/t/f"], how)).join(" ");
    });
    expect(found).toEqual(["RW R-", "R- R-", "RW R-", "R- R-"]);
  });

  it.each([
    ["", "RW", "RW"],
    [".", "RW", "RW"],
    ["a", "RW", "R-"],
  ])("case 32: the subpath %j of the workspace", (subpath, inside, beside) => {
    const place = new SpecPlace(user, "a/f", "f");
    const flags = place.state([ROOT, [`:workspace_roots/${subpath}`, "write"]]);
    expect(place.probe(flags, ["/r/a/f", "/r/f"])).toEqual({ "/r/a/f": inside, "/r/f": beside });
  });

  it.each([
    ["case 32: an absolute subpath, which Codex grants", ":workspace_roots//etc", "write"],
    ["case 32: a subpath that leaves the workspace", ":workspace_roots/../o", "write"],
    ["case 33: a deny on another system's path, which Codex drops", "C:\\x", "deny"],
    ["case 34: a relative path", "docs", "read"],
    ["case 34: a path from home", "~/docs", "read"],
  ])("%s is refused", (_, target, access) => {
    const place = new SpecPlace(user);
    const { status, stderr } = place.refused(place.state([...WORKSPACE, [target, access]]));
    expect(status).toBe(2);
    expect(stderr).toMatch(/^writ: (Cannot |.* is invalid on 'linux')/);
  });
});

describe.each(USERS)("whole disks as %s", (user) => {
  it("case 73: a disabled profile runs without a sandbox, an external one read-only", () => {
    const place = new SpecPlace(user, "f", "/o/f");
    const found = [{ type: "disabled" }, { type: "external", network: "restricted" }].map((one) =>
      place.probe(place.stateOf(one), ["/r/f", "/o/f"]),
    );
    expect(found).toEqual([
      { "/r/f": "RW", "/o/f": "RW" },
      { "/r/f": "R-", "/o/f": "R-" },
    ]);
  });

  it("case 74: unrestricted files without a network, in namespaces where Codex has only a filter", () => {
    const place = new SpecPlace(user, "f", "/o/f");
    const flags = place.stateOf({
      type: "managed",
      file_system: { type: "unrestricted" },
      network: "restricted",
    });
    expect(place.probe(flags, ["/r/f", "/o/f"])).toEqual({ "/r/f": "RW", "/o/f": "RW" });
    const spaces = ["net", "pid", "mnt"].map((name) => `/proc/self/ns/${name}`);
    const { stdout } = place.sh(`readlink ${spaces.join(" ")}`, flags);
    const found = stdout.trim().split("\n");
    expect(found).toHaveLength(spaces.length);
    expect(found.filter((one) => spaces.map((space) => readlinkSync(space)).includes(one))).toEqual(
      [],
    );
  });
});
