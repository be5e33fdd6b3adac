import { describe, expect, it } from "vitest";
import { withReadable } from "../../../src/mcp/worker/worker-policy.ts";
import {
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
  readCanonicalProfile,
  uriOfNative,
} from "../../../src/policy/index.ts";

const PART = uriOfNative("/opt/writ/workers");

function restricted(...entries: object[]): PermissionProfile {
  const fileSystem = { type: "restricted", entries };
  return readCanonicalProfile({ type: "managed", file_system: fileSystem, network: "restricted" });
}

const minimal = { path: { type: "special", value: { kind: "minimal" } }, access: "read" };
const rootDeny = { path: { type: "special", value: { kind: "root" } }, access: "deny" };

describe("withReadable", () => {
  it.each([
    ["the platform's defaults alone", restricted(minimal)],
    ["a root that is denied", restricted(minimal, rootDeny)],
    ["nothing", restricted()],
  ])("lets a worker be read under %s", (_, profile) => {
    const added = { target: { type: "path", path: PART }, access: "read" };
    expect(withReadable(profile, [PART])).toMatchObject({
      fileSystem: { entries: expect.arrayContaining([added]) },
    });
  });

  it.each(["read-only", "workspace-write", "danger-full-access"] as const)(
    "adds nothing to %s, under which it can be read",
    (mode) => {
      const profile = profileOfPolicy(policyForMode(mode));
      expect(withReadable(profile, [PART])).toBe(profile);
    },
  );
});
