import { describe, expect, it } from "vitest";
import {
  profileOfPolicy,
  readKebabPolicy,
  writeCanonicalProfile,
} from "../../../src/policy/index.ts";
import { type Rule, wireOf } from "../support/profiles.ts";

function profileOf(policy: unknown) {
  return writeCanonicalProfile(profileOfPolicy(readKebabPolicy(policy)), "refuse");
}

const NAMES = [".git", ".agents", ".codex", ".aws"];
const protections = (root: string): Rule[] =>
  NAMES.map((name) => [`${root}/${name}`, "read", "skip"]);

describe("profileOfPolicy", () => {
  it("writes the entries of a workspace in the order of Codex", () => {
    expect(profileOf({ type: "workspace-write" })).toEqual(
      wireOf([
        [":root", "read"],
        [":workspace_roots", "write"],
        [":slash_tmp", "write"],
        [":tmpdir", "write"],
        ...protections(":workspace_roots"),
      ]),
    );
  });

  it("puts extra roots after the temporary folders and their protections last", () => {
    const policy = { type: "workspace-write", writable_roots: ["/b", "/a"], network_access: true };
    expect(profileOf(policy)).toEqual(
      wireOf(
        [
          [":root", "read"],
          [":workspace_roots", "write"],
          [":slash_tmp", "write"],
          [":tmpdir", "write"],
          ["/b", "write"],
          ["/a", "write"],
          ...protections(":workspace_roots"),
          ...protections("/b"),
          ...protections("/a"),
        ],
        { network: "enabled" },
      ),
    );
  });

  it.each([
    [{ exclude_slash_tmp: true }, [":tmpdir"]],
    [{ exclude_tmpdir_env_var: true }, [":slash_tmp"]],
    [{ exclude_slash_tmp: true, exclude_tmpdir_env_var: true }, []],
  ])("leaves out the temporary folders of %j", (flags, symbols) => {
    expect(profileOf({ type: "workspace-write", ...flags })).toEqual(
      wireOf([
        [":root", "read"],
        [":workspace_roots", "write"],
        ...symbols.map((symbol): Rule => [symbol, "write"]),
        ...protections(":workspace_roots"),
      ]),
    );
  });

  it("names exactly the roots of restricted reads, and not the working directory", () => {
    const access = { type: "restricted", readable_roots: ["/b", "/a"] };
    expect(profileOf({ type: "read-only", access })).toEqual(
      wireOf([
        [":minimal", "read"],
        ["/b", "read"],
        ["/a", "read"],
      ]),
    );
    const bare = { ...access, include_platform_defaults: false, readable_roots: [] };
    expect(profileOf({ type: "read-only", access: bare })).toEqual(wireOf([]));
  });

  it("begins a workspace with its restricted reads", () => {
    const policy = {
      type: "workspace-write",
      read_only_access: { type: "restricted", readable_roots: ["/doc"] },
      exclude_slash_tmp: true,
      exclude_tmpdir_env_var: true,
    };
    expect(profileOf(policy)).toEqual(
      wireOf([
        [":minimal", "read"],
        ["/doc", "read"],
        [":workspace_roots", "write"],
        ...protections(":workspace_roots"),
      ]),
    );
  });

  it.each([
    [{ type: "read-only" }, wireOf([[":root", "read"]])],
    [
      { type: "read-only", network_access: true },
      wireOf([[":root", "read"]], { network: "enabled" }),
    ],
    [{ type: "danger-full-access" }, { type: "disabled" }],
    [{ type: "external-sandbox" }, { type: "external", network: "restricted" }],
    [
      { type: "external-sandbox", network_access: "enabled" },
      { type: "external", network: "enabled" },
    ],
  ])("turns %j into a profile", (policy, profile) => {
    expect(profileOf(policy)).toEqual(profile);
  });
});
