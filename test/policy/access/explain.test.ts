import { describe, expect, it } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  bindProfile,
  explain,
  type PermissionProfile,
} from "../../../src/policy/index.ts";
import { boundWith, HOST } from "../support/profiles.ts";

describe("explain", () => {
  const bound = boundWith([
    [":root", "read"],
    [":workspace_roots", "write"],
    [":workspace_roots/docs", "read"],
    [":slash_tmp", "write"],
    ["/srv/secret", "deny"],
    ["glob:codex-project-roots://**/*.env", "deny"],
    ["glob:/r/**/*.key", "deny"],
  ]);

  it.each([
    ["/srv/x", "read", '":root" = "read"', 'covers it from "/"'],
    ["/r/src/a", "write", '":workspace_roots" = "write"', 'covers it from "/r"'],
    ["/r", "write", '":workspace_roots" = "write"', "names this path"],
    ["/r/docs/a", "read", '":workspace_roots/docs" = "read"', '"/r/docs"'],
    ["/tmp/x", "write", '":slash_tmp" = "write"', '"/tmp"'],
    ["/srv/secret", "deny", '"/srv/secret" = "deny"', "names this path"],
    ["/r/a.env", "deny", '":workspace_roots/**/*.env" = "deny"', '"/r/**/*.env"'],
    ["/r/a.key/x", "deny", '"/r/**/*.key" = "deny"', '"/r/**/*.key"'],
    ["/r/.git/config", "read", 'protected name ".git"', '"/r" is writable'],
  ])("says for %s which rule decided and where it stands", (path, access, rule, words) => {
    const explanation = explain(bound, at(path));
    expect(explanation).toMatchObject({ path, access, rule });
    expect(explanation.reason).toContain(words);
  });

  it("says that nothing covers a path", () => {
    expect(explain(boundWith([["/a", "read"]]), at("/b"))).toMatchObject({
      access: "deny",
      rule: "no entry",
    });
  });

  it.each<[PermissionProfile, "trusted" | "absent", string]>([
    [{ type: "disabled" }, "absent", "waives"],
    [
      { type: "external", unixSockets: "none", network: { kind: "restricted" } },
      "trusted",
      "operator",
    ],
    [
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "unrestricted" },
        network: { kind: "enabled" },
      },
      "absent",
      "does not restrict",
    ],
  ])("says why %j restricts no file", (profile, externalSandbox, words) => {
    const free = bindProfile(profile, { ...HOST, externalSandbox });
    const explanation = explain(free, at("/etc"));
    expect(explanation).toMatchObject({ access: "write", rule: free.enforcement });
    expect(explanation.reason).toContain(words);
  });

  it("agrees with accessTo on every path it is asked about", () => {
    for (const path of [
      "/",
      "/r",
      "/r/.git",
      "/r/docs",
      "/r/x.env",
      "/srv/secret/a",
      "/tmp/.aws",
    ]) {
      expect(explain(bound, at(path)).access).toBe(accessTo(bound, at(path)));
    }
  });
});
