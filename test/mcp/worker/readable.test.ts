import { describe, expect, it } from "vitest";
import { ownEntries } from "../../../src/mcp/worker/worker-policy.ts";
import {
  type PermissionProfile,
  policyForMode,
  profileOfPolicy,
  readCanonicalProfile,
  uriOfNative,
} from "../../../src/policy/index.ts";

const PART = uriOfNative("/opt/writ/workers");
const OWN = uriOfNative("/run/scratch");

function restricted(...entries: object[]): PermissionProfile {
  const fileSystem = { type: "restricted", entries };
  return readCanonicalProfile({ type: "managed", file_system: fileSystem, network: "restricted" });
}

const minimal = { path: { type: "special", value: { kind: "minimal" } }, access: "read" };
const rootDeny = { path: { type: "special", value: { kind: "root" } }, access: "deny" };

describe("ownEntries", () => {
  it.each([
    ["the platform's defaults alone", restricted(minimal)],
    ["a root that is denied", restricted(minimal, rootDeny)],
    ["nothing", restricted()],
  ])("lets a worker be read under %s", (_, profile) => {
    expect(ownEntries(profile, { read: [PART], write: [OWN] })).toEqual([
      { target: { type: "path", path: PART }, access: "read" },
      { target: { type: "path", path: OWN }, access: "write", names: "open" },
    ]);
  });

  it.each(["read-only", "workspace-write", "danger-full-access"] as const)(
    "opens nothing but a place of its own under %s, under which it can be read",
    (mode) => {
      const profile = profileOfPolicy(policyForMode(mode));
      const opened = ownEntries(profile, { read: [PART], write: [OWN] });
      const own = { target: { type: "path", path: OWN }, access: "write", names: "open" };
      expect(opened).toEqual(mode === "danger-full-access" ? [] : [own]);
    },
  );
});
