import { describe, expect, it } from "vitest";
import {
  bindProfile,
  boundDigest,
  type Entry,
  materializeProfile,
  type PermissionProfile,
  profileOfPolicy,
  readCanonicalProfile,
  readKebabPolicy,
  readSandboxState,
  uriOfNative,
  writeCanonicalProfile,
  writeSandboxState,
} from "../../../src/policy/index.ts";
import captures from "../../fixtures/mcp-sandbox-state.json" with { type: "json" };
import { HOST, profileWith, type Rule, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

function workspaceOf(roots: readonly string[], cwd = "/r") {
  return {
    workspaceRoots: roots.map((root) => uriOfNative(root)),
    cwd: uriOfNative(cwd),
  };
}

function written(rules: readonly Rule[], roots: readonly string[], cwd = "/r") {
  const profile = materializeProfile(profileWith(rules), workspaceOf(roots, cwd));
  return writeCanonicalProfile(profile, "refuse");
}

const states = new Map(Object.entries<{ readonly state: unknown }>(captures));

/** What Codex sent in a capture, each entry once. */
function captured(id: string) {
  const state = readSandboxState(states.get(id)?.state);
  const { profile } = state;
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return { state };
  const unique = new Map(profile.fileSystem.entries.map((one) => [JSON.stringify(one), one]));
  return {
    state: {
      ...state,
      profile: {
        ...profile,
        fileSystem: { ...profile.fileSystem, entries: [...unique.values()] },
      },
    },
  };
}

function entriesOf(profile: PermissionProfile): readonly Entry[] {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return [];
  return profile.fileSystem.entries;
}

const WORKSPACE = { type: "workspace-write" };

describe("materializeProfile", () => {
  it.each([
    ["mode-read-only#1", { type: "read-only" }, ["ws"]],
    ["mode-workspace-write#1", WORKSPACE, ["ws"]],
    ["ww-cd-subdir#1", WORKSPACE, ["ws/sub"]],
    ["ww-add-dir#1", WORKSPACE, ["ws", "extra"]],
    ["appserver-turn-changes#10", WORKSPACE, ["ws", "extra"]],
    ["appserver-turn-changes#7", { type: "read-only", network_access: true }, ["ws"]],
    [
      "ww-extra-roots#1",
      {
        ...WORKSPACE,
        writable_roots: ["/srv/demo/ww-extra-roots/extra", "/opt/does-not-exist"],
      },
      ["ws", "extra", "/opt/does-not-exist"],
    ],
  ])("writes a policy as Codex sent it in %s", (id, policy, names) => {
    const { state } = captured(id);
    const base = `/srv/demo/${id.split("#")[0]}`;
    const roots = names.map((name) => (name.startsWith("/") ? name : `${base}/${name}`));
    const profile = materializeProfile(
      profileOfPolicy(readKebabPolicy(policy)),
      workspaceOf(roots, base),
    );
    const ours = writeSandboxState({ ...state, profile }, "refuse");
    expect(JSON.stringify(ours)).toBe(JSON.stringify(writeSandboxState(state, "refuse")));
  });

  it("says what Codex said of excluded temporary folders, and protects the extra root too", () => {
    const { state } = captured("appserver-turn-changes#3");
    const base = "/srv/demo/appserver-turn-changes";
    const policy = readKebabPolicy({
      ...WORKSPACE,
      writable_roots: [`${base}/extra`],
      network_access: true,
      exclude_tmpdir_env_var: true,
      exclude_slash_tmp: true,
    });
    const profile = materializeProfile(profileOfPolicy(policy), workspaceOf([`${base}/ws`]));
    const theirs = entriesOf(state.profile);
    const ours = entriesOf(profile);
    expect({ ...profile, fileSystem: 0 }).toEqual({ ...state.profile, fileSystem: 0 });
    expect(ours.slice(0, theirs.length)).toEqual(theirs);
    expect(ours.slice(theirs.length)).toEqual(
      [".git", ".agents", ".codex", ".aws"].map((name) => ({
        target: { type: "path", path: uriOfNative(`${base}/extra/${name}`) },
        access: "read",
        missing: "skip",
      })),
    );
  });

  it("writes patterns of a workspace and a place below it as Codex does", () => {
    const { state } = captured("perm-custom-deny-glob#1");
    const base = "/srv/demo/perm-custom-deny-glob";
    const symbolic = {
      ...wireOf([]),
      file_system: {
        type: "restricted",
        entries: [
          { path: { type: "path", path: "/usr/share" }, access: "read" },
          { path: { type: "path", path: `${base}/extra` }, access: "write" },
          { path: { type: "path", path: `${base}/secret` }, access: "deny" },
          { path: { type: "special", value: { kind: "minimal" } }, access: "read" },
          {
            path: { type: "glob_pattern", pattern: "codex-project-roots://**/*.env" },
            access: "deny",
          },
          { path: { type: "special", value: { kind: "project_roots" } }, access: "write" },
          {
            path: { type: "special", value: { kind: "project_roots", subpath: "docs" } },
            access: "read",
          },
        ],
        glob_scan_max_depth: 3,
      },
    };
    const profile = materializeProfile(readCanonicalProfile(symbolic), workspaceOf([`${base}/ws`]));
    const theirs = state.profile;
    if (theirs.type !== "managed" || theirs.fileSystem.type !== "restricted") {
      throw new Error("the capture has no entries");
    }
    // The last entry is the folder of that client's own helper.
    const entries = theirs.fileSystem.entries.slice(0, -1);
    expect(profile).toEqual({ ...theirs, fileSystem: { ...theirs.fileSystem, entries } });
  });

  it("gives every root its entry in the place of the symbol", () => {
    expect(
      written(
        [
          [":root", "read"],
          [":workspace_roots", "write"],
          [":tmpdir", "write"],
          [":workspace_roots/.git", "read", "skip"],
        ],
        ["/a", "/b c"],
      ),
    ).toEqual(
      wireOf([
        [":root", "read"],
        ["/a", "write"],
        ["/b c", "write"],
        [":tmpdir", "write"],
        ["/a/.git", "read", "skip"],
        ["/b c/.git", "read", "skip"],
      ]),
    );
  });

  it("leaves every other symbol to the host that enforces it", () => {
    const rules: Rule[] = [
      [":root", "read"],
      [":minimal", "read"],
      [":tmpdir", "write"],
      [":slash_tmp", "write"],
      [":newer", "read"],
      ["glob:/etc/*.key", "deny"],
    ];
    expect(written(rules, ["/a"])).toEqual(wireOf(rules));
  });

  it("makes patterns absolute, with the names of folders meant literally", () => {
    expect(
      written(
        [
          ["glob:*.env", "deny"],
          ["glob:a/{b,c}.key", "deny"],
          ["glob:codex-project-roots://**/*.pem", "deny"],
        ],
        ["/w[1]", "/"],
        "/c*",
      ),
    ).toEqual(
      wireOf([
        ["glob:/c\\*/**/*.env", "deny"],
        ["glob:/c\\*/a/b.key", "deny"],
        ["glob:/c\\*/a/c.key", "deny"],
        ["glob:/w\\[1\\]/**/*.pem", "deny"],
        ["glob:/**/*.pem", "deny"],
      ]),
    );
  });

  it("binds to the same rules as the symbolic profile", () => {
    const rules: Rule[] = [
      [":root", "read"],
      [":workspace_roots", "write"],
      [":workspace_roots/docs", "read"],
      [":workspace_roots/secret", "deny"],
      ["glob:*.env", "deny"],
      ["glob:codex-project-roots://**/*.pem", "deny"],
    ];
    const profile = profileWith(rules);
    const paths = materializeProfile(profile, workspaceOf(["/r"]));
    expect(paths).not.toEqual(profile);
    expect(boundDigest(bindProfile(paths, HOST))).toBe(boundDigest(bindProfile(profile, HOST)));
  });

  it.each([
    ["without a sandbox", { type: "disabled" }],
    ["of somebody else's sandbox", { type: "external", network: "enabled" }],
    [
      "without restricted files",
      { type: "managed", file_system: { type: "unrestricted" }, network: "restricted" },
    ],
  ])("leaves a profile %s as it is", (_, wire) => {
    const profile = readCanonicalProfile(wire);
    expect(materializeProfile(profile, workspaceOf([]))).toBe(profile);
  });

  it("grants nothing where there is no root", () => {
    const rules: Rule[] = [
      [":root", "read"],
      [":workspace_roots", "write"],
      [":workspace_roots/.git", "read", "skip"],
    ];
    expect(written(rules, [])).toEqual(wireOf([[":root", "read"]]));
    expect(written([[":workspace_roots", "read"]], [])).toEqual(wireOf([]));
  });

  it.each<[string, Rule[], string]>([
    ["a deny", [[":workspace_roots/secret", "deny"]], ":workspace_roots/secret"],
    ["a pattern", [["glob:codex-project-roots://*.env", "deny"]], "*.env"],
    [
      "a read beside a write",
      [
        [":tmpdir", "write"],
        [":workspace_roots/docs", "read"],
      ],
      ":workspace_roots/docs",
    ],
  ])("refuses to lose %s where there is no root", (_, rules, named) => {
    expectRefusal(() => written(rules, []), "unbindable", named);
  });

  it("refuses a root that would turn the workspace into the whole disk", () => {
    expectRefusal(
      () => written([[":workspace_roots", "write"]], ["/a", "/"]),
      "unbindable",
      "the whole disk",
    );
    expect(written([[":workspace_roots/a", "write"]], ["/"])).toEqual(wireOf([["/a", "write"]]));
  });

  it("refuses a pattern below a folder that is no POSIX path", () => {
    expectRefusal(() => written([["glob:*.env", "deny"]], [], "C:\\r"), "unrepresentable", "POSIX");
  });
});
