/** Layouts that are easy to get wrong: single files, roots inside roots, folders nobody may enter. */
import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { USERS } from "../support/sandbox-user.ts";
import { SpecPlace } from "./spec-place.ts";

const ROOT: Rule = [":root", "read"];
const WORKSPACE: readonly Rule[] = [ROOT, [":workspace_roots", "write"]];

describe.each(USERS)("layouts as %s", (user) => {
  it("a missing writable root inside a writable one can be used, and its protected names hold", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([...WORKSPACE, ["/r/gone", "write"]]);
    const paths = ["/r/gone", "/r/gone/f", "/r/gone/.git", "/r/gone/.git/config", "/r/f"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["RW", "C", "R-", "missing", "RW"]);
    expect(place.text("/r/gone/f")).toBe("w");
    expect(place.exists("/r/gone/.git")).toBe(false);
  });

  it("a missing writable root inside a writable one is not left behind unused", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([...WORKSPACE, ["/r/gone/deep", "write"]]);
    expect(place.probe(flags, ["/r/f"])).toEqual({ "/r/f": "RW" });
    expect(place.exists("/r/gone")).toBe(false);
  });

  it.each(["read", "deny"] as const)(
    "what is closed with %s below two missing folders stays so beside what is opened there",
    (access) => {
      const place = new SpecPlace(user, "f");
      const rules: Rule[] = [
        ["/r/t/d/keep", access],
        ["/r/t/d/out", "write"],
      ];
      const flags = place.state([...WORKSPACE, ...rules]);
      const script =
        "mkdir -p t/d/keep; echo w > t/d/keep/f; mv t away; mv t/d away; echo w > t/d/out/f; cat t/d/out/f";
      expect(place.sh(script, flags)).toMatchObject({ stdout: "w\n", status: 0 });
      expect(place.exists("/r/t/d/keep")).toBe(false);
      expect(place.text("/r/t/d/out/f")).toBe("w\n");
    },
  );

  it("a granted folder stays open around what is closed in it, when both are missing", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([...WORKSPACE, ["/r/b", "write"], ["/r/b/c", "read"]]);
    const paths = ["/r/b", "/r/b/f", "/r/b/c"];
    expect(Object.values(place.probe(flags, paths))).toEqual(["RW", "C", "R-"]);
  });

  it("a grant under the name of a file that is missing lets the command make it", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([...WORKSPACE, ["/r/.mcp.json", "write"]]);
    expect(place.sh("echo w > .mcp.json", flags)).toMatchObject({ stderr: "", status: 0 });
    expect(place.text("/r/.mcp.json")).toBe("w\n");
  });

  it("a writable file stays one inside a read-only and inside a hidden folder", () => {
    const place = new SpecPlace(user, "d/log", "d/f", "s/log", "s/f", "f");
    const flags = place.state([
      ...WORKSPACE,
      ["/r/d", "read"],
      ["/r/d/log", "write"],
      ["/r/s", "deny"],
      ["/r/s/log", "write"],
    ]);
    const paths = ["/r/d/log", "/r/d/f", "/r/d", "/r/s/log", "/r/s/f", "/r/s", "/r/f"];
    const found = Object.values(place.probe(flags, paths));
    expect(found).toEqual(["RW", "R-", "R-", "RW", "--", "--", "RW"]);
  });

  it("a read-only file in a writable folder can be neither replaced nor moved away", () => {
    const place = new SpecPlace(user, "d/keep", "d/f");
    const flags = place.state([...WORKSPACE, ["/r/d/keep", "read"]]);
    const tries = ["rm d/keep", "mv d/keep d/k2", "mv d/f d/keep", "ln -sf f d/keep", "mv d e"];
    const script = `${tries.map((one) => `${one} 2>/dev/null && echo ${one}`).join("; ")}; echo w > d/f`;
    expect(place.sh(script, flags)).toMatchObject({ stdout: "", status: 0 });
    expect([place.text("/r/d/keep"), place.text("/r/d/f")]).toEqual(["before", "w\n"]);
  });

  it("a denied path in a folder that may not be entered stays hidden when the command opens that folder", () => {
    const place = new SpecPlace(user, "closed/secret", "f");
    chmodSync(place.at("/r/closed"), 0);
    const flags = place.state([...WORKSPACE, ["/r/closed/secret", "deny"]]);
    const script =
      "chmod 700 closed; cat closed/secret; mv closed c2 && cat c2/secret; echo w > f && echo control";
    expect(place.sh(script, flags)).toMatchObject({ stdout: "control\n" });
    chmodSync(place.at("/r/closed"), 0o700);
    expect(place.text("/r/closed/secret")).toBe("before");
  });

  it("a command may change the permissions of its own folders, those above a protected path too", () => {
    const place = new SpecPlace(user, "d/keep/f", ".git/config", "f");
    const flags = place.state([...WORKSPACE, ["/r/d/keep", "read"]]);
    const script = "chmod 700 . d; chmod 755 . d; touch . d; sleep 0.2; echo w > f; echo control";
    expect(place.sh(script, flags)).toMatchObject({ stdout: "control\n", stderr: "", status: 0 });
    expect(place.text("/r/f")).toBe("w\n");
  });

  it.each(["read", "write"])("a %s rule in a folder that this user may not enter", (access) => {
    const place = new SpecPlace(user, "closed/f", "f");
    chmodSync(place.at("/r/closed"), 0);
    const flags = place.state([ROOT, ["/r/closed/f", access]]);
    if (user === "ordinary") {
      // What cannot be looked at could be a link to anywhere.
      const { status, stderr } = place.refused(flags);
      expect(status).toBe(125);
      expect(stderr).toContain(`may not enter "${place.at("/r/closed")}"`);
    } else {
      // Root may look; its command has no capability and may not.
      expect(place.probe(flags, ["/r/f"])).toEqual({ "/r/f": "R-" });
    }
    chmodSync(place.at("/r/closed"), 0o700);
  });

  it("a grant where only another user could make the protected names is usable", () => {
    const place = new SpecPlace(user, "f");
    const flags = place.state([ROOT, ["/r", "write"], ["/usr", "write"], ["/usr/bin", "read"]]);
    const { "/usr/.git": git, ...found } = place.probe(flags, ["/r/f", "/usr/bin", "/usr/.git"]);
    expect(found).toEqual({ "/r/f": "RW", "/usr/bin": "R-" });
    expect(user === "root" ? ["R-"] : ["R-", "missing"]).toContain(git);
  });

  it("a grant on one's own folder that is closed for now is not: the command could open it", () => {
    const place = new SpecPlace(user, "own/f", "f");
    chmodSync(place.at("/r/own"), 0o555);
    const flags = place.state([ROOT, ["/r/own", "write"]]);
    if (user === "root") {
      expect(place.probe(flags, ["/r/own/.git", "/r/f"])).toEqual({
        "/r/own/.git": "R-",
        "/r/f": "R-",
      });
    } else {
      const { status, stderr } = place.refused(flags);
      expect(status).toBe(125);
      expect(stderr).toContain("missing and cannot be made");
    }
  });
});
