/** Links, cases 52 to 56, on the kernel. */
import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { USERS } from "../support/sandbox-user.ts";
import { SpecPlace } from "./spec-place.ts";

const ROOT: Rule = [":root", "read"];
const WORKSPACE: readonly Rule[] = [ROOT, [":workspace_roots", "write"]];

describe.each(USERS)("links as %s", (user) => {
  it("case 52: a writable link opens what it leads to, and a carve-out below it holds under both names", () => {
    const place = new SpecPlace(user, "real/f", "real/blocked/f", ["link", "/r/real"], "f");
    const flags = place.state([ROOT, ["/r/link", "write"], ["/r/link/blocked", "deny"]]);
    const paths = ["/r/link/f", "/r/real/f", "/r/link/blocked/f", "/r/real/blocked/f", "/r/f"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["RW", "RW", "--", "--", "R-"]);
  });

  it("case 53: a denied link in a writable folder is refused", () => {
    const place = new SpecPlace(user, "real/f", ["lnk", "/r/real"]);
    const { status, stderr } = place.refused(place.state([...WORKSPACE, ["/r/lnk", "deny"]]));
    expect(status).toBe(125);
    expect(stderr).toContain(`link "${place.at("/r/lnk")}"`);
  });

  it("case 54: a denied link in a read-only folder hides what it leads to", () => {
    const place = new SpecPlace(user, "/o/real/f", ["lnk", "/o/real"], "f");
    const flags = place.state([ROOT, ["/r/lnk", "deny"]]);
    const paths = ["/r/lnk/f", "/o/real/f", "/r/f"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["--", "--", "R-"]);
  });

  it("case 55: what is denied cannot be read through a link to it, or to a folder above it", () => {
    const place = new SpecPlace(user, "d/real/f", ["alias", "/r/d/real"], ["up", "/r/d"], "f");
    const flags = place.state([...WORKSPACE, ["/r/d/real", "deny"]]);
    const paths = ["/r/d/real/f", "/r/alias/f", "/r/up/real/f", "/r/f"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["--", "--", "--", "RW"]);
  });

  it("case 56: a command that starts through a link is where the link leads to", () => {
    const place = new SpecPlace(user, "f", ["/o/way", "/r"]);
    const { stdout } = place.sh("/bin/pwd -P; pwd", [
      ...place.state(WORKSPACE),
      "-C",
      place.at("/o/way"),
    ]);
    expect(stdout).toBe(`${place.at("/r")}\n`.repeat(2));
  });

  it("a workspace named through a link is open under both names, and its protected names hold", () => {
    const place = new SpecPlace(user, "f", ".git/config", ["/o/way", "/r"], "/o/f");
    const flags = place.state([ROOT, ["/o/way", "write"]]);
    const paths = ["/o/way/f", "/r/f", "/o/way/.git/config", "/r/.git/config", "/o/f"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["RW", "RW", "R-", "R-", "R-"]);
  });

  it("a chain of links is followed to its end", () => {
    const place = new SpecPlace(
      user,
      "c/f",
      ["/o/one", "/o/two"],
      ["/o/two", "../outside/three"],
      ["/o/three", "/r/c"],
    );
    const flags = place.state([ROOT, ["/o/one", "write"]]);
    expect(place.probe(flags, ["/r/c/f", "/o/one/f"])).toEqual({
      "/r/c/f": "RW",
      "/o/one/f": "RW",
    });
  });

  it.each<[string, Rule]>([
    ["a writable root", ["/r/lnk/sub", "write"]],
    ["a read-only root", ["/r/lnk/sub", "read"]],
  ])("%s that leads through a link the command may change is refused", (_, rule) => {
    const place = new SpecPlace(user, "/o/real/sub/", ["lnk", "/o/real"]);
    expect(place.refused(place.state([...WORKSPACE, rule]))).toMatchObject({ status: 125 });
  });

  it("a loop of links is refused", () => {
    const place = new SpecPlace(user, ["/o/one", "/o/two"], ["/o/two", "/o/one"]);
    const { status, stderr } = place.refused(place.state([ROOT, ["/o/one", "deny"]]));
    expect({ status, stderr }).toMatchObject({
      status: 125,
      stderr: expect.stringContaining("links"),
    });
  });
});
