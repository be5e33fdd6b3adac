import { describe, expect, it } from "vitest";
import {
  modeOfProfile,
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
} from "../../../src/policy/index.ts";
import { profileWith, type Rule } from "../support/profiles.ts";

describe("policyForMode", () => {
  it.each(["read-only", "workspace-write", "danger-full-access"] as const)(
    "gives %s a policy of that mode",
    (mode) => {
      expect(modeOfProfile(profileOfPolicy(policyForMode(mode)))).toBe(mode);
    },
  );

  it.each(["read-only", "workspace-write"] as const)("keeps the network of %s off", (mode) => {
    expect(policyForMode(mode)).toMatchObject({ networkAccess: false });
  });
});

describe("modeOfProfile", () => {
  it.each<[string, Rule[], string]>([
    ["nothing", [], "read-only"],
    [
      "reads",
      [
        [":root", "read"],
        ["/a", "deny"],
      ],
      "read-only",
    ],
    ["a write anywhere", [["/a", "write"]], "workspace-write"],
    [
      "a write that a deny hides",
      [
        ["/a", "write"],
        ["/a", "deny"],
      ],
      "workspace-write",
    ],
    ["the whole disk", [[":root", "write"]], "danger-full-access"],
    ["the whole disk as a path", [["/", "write"]], "danger-full-access"],
    [
      "the whole disk with default protections",
      [
        [":root", "write"],
        ["/r/.git", "read", "skip"],
      ],
      "danger-full-access",
    ],
    [
      "the whole disk with platform defaults",
      [
        [":root", "write"],
        [":minimal", "read"],
      ],
      "danger-full-access",
    ],
    [
      "a carve-out",
      [
        [":root", "write"],
        ["/a", "read"],
      ],
      "workspace-write",
    ],
    [
      "a carve-out that is denied and marked skip",
      [
        [":root", "write"],
        ["/a", "deny", "skip"],
      ],
      "workspace-write",
    ],
    [
      "a carve-out taken back",
      [
        [":root", "write"],
        ["/a", "read"],
        ["/a", "write"],
      ],
      "danger-full-access",
    ],
    [
      "/tmp taken back by its symbol",
      [
        [":root", "write"],
        ["/tmp", "read"],
        [":slash_tmp", "write"],
      ],
      "danger-full-access",
    ],
    [
      "a deny that write does not take back",
      [
        [":root", "write"],
        ["/a", "deny"],
        ["/a", "write"],
      ],
      "workspace-write",
    ],
    [
      "a deny pattern",
      [
        [":root", "write"],
        ["glob:/a/*", "deny"],
      ],
      "workspace-write",
    ],
    [
      "a denied root",
      [
        [":root", "write"],
        [":root", "deny"],
      ],
      "workspace-write",
    ],
  ])("calls %s by its mode", (_, rules, mode) => {
    expect(modeOfProfile(profileWith(rules))).toBe(mode);
  });

  it.each<[PermissionProfile, string]>([
    [{ type: "disabled" }, "danger-full-access"],
    [
      { type: "external", unixSockets: "none", network: { kind: "restricted" } },
      "external-sandbox",
    ],
    [
      {
        type: "managed",
        unixSockets: "none",
        fileSystem: { type: "unrestricted" },
        network: { kind: "restricted" },
      },
      "danger-full-access",
    ],
  ])("calls %j %s", (profile, mode) => {
    expect(modeOfProfile(profile)).toBe(mode);
  });
});
