import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at, type BoundProfile } from "../../../src/policy/index.ts";
import { planMacos } from "../../../src/sandbox/macos/plan-macos.ts";
import { MACOS_PLATFORM_DEFAULTS } from "../../../src/sandbox/macos/platform-rules.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";
import { judgeOf } from "./support/evaluate-sbpl.ts";
import { planFor, policyFor, requestFor } from "./support/plan-for.ts";

const WORKSPACE: Rule[] = [
  [":root", "read"],
  ["/r", "write"],
];

function policyOf({ argv }: { readonly argv: readonly string[] }): string {
  return argv[2] ?? "";
}

describe("planMacos", () => {
  it("starts the command through sandbox-exec by its full path, parameters before the command", () => {
    const plan = planFor(boundWith([...WORKSPACE, ["/r/secret", "deny"]]));
    expect(plan.tier).toBe("seatbelt");
    expect(plan.argv.slice(0, 2)).toEqual(["/usr/bin/sandbox-exec", "-p"]);
    const end = plan.argv.indexOf("--");
    expect(plan.argv.slice(end)).toEqual(["--", "/bin/echo", "hi"]);
    expect(plan.argv.slice(3, end).every((flag) => /^-D[A-Z_]+_\d+=\//.test(flag))).toBe(true);
    expect(plan.argv).toContain("-DWRITABLE_ROOT_0=/r");
    expect({ cwd: plan.cwd, env: plan.env }).toEqual({ cwd: "/r", env: { LANG: "C" } });
  });

  it("gives the same plan for the same request", () => {
    const profile = boundWith(WORKSPACE);
    expect(planFor(profile)).toEqual(planFor(profile));
  });

  it("orders its sections, with what must stay in place last", () => {
    const rules: Rule[] = [
      [":minimal", "read"],
      ["/r", "write"],
      ["glob:/r/*.env", "deny"],
    ];
    const profile = boundWith(rules, {
      platformDefaults: MACOS_PLATFORM_DEFAULTS.map((one) => at(one)),
    });
    const online: BoundProfile = { ...profile, network: { kind: "enabled" } };
    const titles = policyOf(planFor(online)).match(/^; .*$/gm);
    expect(titles).toEqual([
      "; base",
      "; read",
      "; write",
      "; network",
      "; platform defaults",
      "; deny patterns",
      "; pins",
    ]);
    expect(policyOf(planFor(boundWith(WORKSPACE)))).toContain("; preferences");
  });

  it("follows the system's own links at the top", () => {
    const files = fileTree("/private/tmp/", "/r/", ["/tmp", "private/tmp"]);
    const plan = planFor(
      boundWith([
        [":root", "read"],
        ["/tmp", "write"],
      ]),
      files,
    );
    expect(plan.argv).toContain("-DWRITABLE_ROOT_0=/private/tmp");
  });

  it("refuses a writable root behind any other link and names both paths", () => {
    const files = fileTree("/r/", "/real/", ["/home/user/link", "/real"]);
    expect(() =>
      planFor(
        boundWith([
          [":root", "read"],
          ["/home/user/link", "write"],
        ]),
        files,
      ),
    ).toThrow(
      expect.objectContaining({
        code: "unprotectablePath",
        message: expect.stringMatching(/"\/home\/user\/link" leads .* to "\/real"/),
      }),
    );
  });

  it("refuses a pattern that begins behind a link which the command may change", () => {
    const files = fileTree("/r/real/", ["/r/l", "real"]);
    expect(() => planFor(boundWith([...WORKSPACE, ["glob:/r/l/*.env", "deny"]]), files)).toThrow(
      expect.objectContaining({
        code: "unprotectablePath",
        message: expect.stringContaining('"/r/l"'),
      }),
    );
  });

  it("denies by a pattern also on the real path of where it begins", () => {
    const files = fileTree("/private/tmp/", "/r/", ["/tmp", "private/tmp"]);
    const judge = judgeOf(
      policyFor(
        boundWith([
          [":root", "read"],
          ["/tmp", "write"],
          ["glob:/tmp/*.env", "deny"],
        ]),
        files,
      ),
    );
    expect(judge({ operation: "file-read-data", path: "/private/tmp/k.env" })).toBe("deny");
    expect(judge({ operation: "file-read-data", path: "/private/tmp/k" })).toBe("allow");
  });

  it("denies what a link inside a pattern leads to, and keeps the folders above it in place", () => {
    const profile = boundWith([
      [":root", "read"],
      ["/else", "write"],
      ["/r/a", "write"],
      ["glob:/r/**/*.env", "deny"],
    ]);
    const rule = { pattern: "/r/**/*.env", rule: "the pattern" };
    const matchesOf = (link: string) => () => [
      { path: at("/else/where/k"), rule, links: [at(link)] },
      { path: at("/r/a/b/k.env"), rule, links: [] },
    ];
    const files = fileTree("/r/a/", "/else/where/");
    const judge = judgeOf(policyFor(profile, { ...files, matchesOf: matchesOf("/r/l.env") }));
    const turnable = { ...files, matchesOf: matchesOf("/r/a/l.env") };
    expect(() => policyFor(profile, turnable)).toThrow('only because the link "/r/a/l.env" leads');
    expect(judge({ operation: "file-read-data", path: "/else/where/k" })).toBe("deny");
    for (const path of ["/else/where", "/r/a", "/r/a/b"]) {
      expect([path, judge({ operation: "file-write-unlink", path })]).toEqual([path, "deny"]);
      expect([path, judge({ operation: "file-write-create", path })]).toEqual([path, "allow"]);
    }
  });

  it("keeps the folders that a pattern names in place, also before there is a match", () => {
    const judge = judgeOf(
      policyFor(
        boundWith([
          [":root", "write"],
          ["glob:/r/conf/*.key", "deny"],
        ]),
      ),
    );
    expect(judge({ operation: "file-write-unlink", path: "/r/conf" })).toBe("deny");
    expect(judge({ operation: "file-write-unlink", path: "/r/other" })).toBe("allow");
  });

  it("opens a writable file alone, and not what would be below it", () => {
    const files = fileTree("/r/", "/srv/log");
    const judge = judgeOf(
      policyFor(
        boundWith([
          [":root", "read"],
          ["/srv/log", "write"],
        ]),
        files,
      ),
    );
    expect(judge({ operation: "file-write-data", path: "/srv/log" })).toBe("allow");
    expect(judge({ operation: "file-write-data", path: "/srv/log/x" })).toBe("deny");
  });

  it("does not let a missing writable root be made", () => {
    const judge = judgeOf(
      policyFor(
        boundWith([
          [":root", "read"],
          ["/srv/gone", "write"],
        ]),
        fileTree("/srv/"),
      ),
    );
    expect(judge({ operation: "file-write-create", path: "/srv/gone" })).toBe("deny");
  });

  it("does not let the first missing part on the way to a carve-out be made", () => {
    const rules: Rule[] = [...WORKSPACE, ["/r/nope/deep/x", "read"]];
    const judge = judgeOf(policyFor(boundWith(rules), fileTree("/r/")));
    expect(judge({ operation: "file-write-create", path: "/r/nope" })).toBe("deny");
    expect(judge({ operation: "file-write-create", path: "/r/NOPE" })).toBe("deny");
    expect(judge({ operation: "file-write-create", path: "/r/other" })).toBe("allow");
  });

  it.each([
    ".git",
    ".GIT",
    ".Git/hooks/pre-commit",
    ".aw\u017f/credentials",
    ".envrc",
    ".mcp.json",
  ])("keeps the protected name %s from being made where it is missing", (name) => {
    const judge = judgeOf(policyFor(boundWith(WORKSPACE), fileTree("/r/")));
    expect(judge({ operation: "file-write-create", path: `/r/${name}` })).toBe("deny");
    expect(judge({ operation: "file-write-create", path: `/r/sub/${name}` })).toBe("allow");
  });

  it("refuses a policy that does not fit on a command line", () => {
    const rules = Array.from(
      { length: 600 },
      (_, index): Rule => [`/s/${"n".repeat(80)}${index}`, "deny"],
    );
    expect(() => planFor(boundWith([[":root", "read"], ...rules]))).toThrow(
      /bytes, expected at most/,
    );
  });

  it("keeps what is writ's own out of reach", () => {
    const own = { hidden: [at("/home/user/.writ")], readOnly: [] };
    const plan = planMacos(requestFor(boundWith([[":root", "read"]]), { cwd: at("/") }), {
      files: fileTree("/home/user/.writ/"),
      own,
    });
    expect(plan.argv).toContain("-DREADABLE_HOLE_0=/home/user/.writ");
  });
});
