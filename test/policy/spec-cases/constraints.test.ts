import { describe, expect, it } from "vitest";
import {
  type Candidate,
  canSet,
  ceilingMessage,
  policyForMode,
  readCeiling,
  type SandboxMode,
} from "../../../src/policy/index.ts";
import { profileWith } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const SOURCE = "/etc/codex/requirements.toml";

function ceilingOf(table: unknown, hostname = "host") {
  return readCeiling(table, { source: SOURCE, hostname, folder: "/etc/codex", profiles: [] });
}

function asked(mode: SandboxMode): Candidate {
  return { form: "policy", policy: policyForMode(mode) };
}

function messageFor(table: unknown, candidate: Candidate, spelling: "codex" | "plain" = "codex") {
  const verdict = canSet(ceilingOf(table), candidate);
  return verdict.allowed ? "allowed" : ceilingMessage(verdict, spelling);
}

describe("ceilings", () => {
  const READ_ONLY = { allowed_sandbox_modes: ["read-only"] };

  it("case 83: refuses a mode that is not in the list, in the words Codex clients know", () => {
    expect(messageFor(READ_ONLY, asked("read-only"))).toBe("allowed");
    expect(messageFor(READ_ONLY, asked("workspace-write"))).toBe(
      `invalid value for \`sandbox_mode\`: \`WorkspaceWrite\` is not in the allowed set [ReadOnly] (set by ${SOURCE})`,
    );
    expect(messageFor(READ_ONLY, asked("danger-full-access"))).toContain("`DangerFullAccess`");
  });

  it("case 83: holds a profile to the same list", () => {
    const profile = profileWith([[":tmpdir", "write"]]);
    expect(messageFor(READ_ONLY, { form: "profile", profile })).toContain("`WorkspaceWrite`");
    const external: Candidate = {
      form: "policy",
      policy: { type: "externalSandbox", networkAccess: "restricted" },
    };
    expect(messageFor(READ_ONLY, external)).toContain("`ExternalSandbox`");
  });

  it.each([[["workspace-write"]], [[]]])(
    "case 84: refuses the list %j without read-only",
    (modes) => {
      const read = () => ceilingOf({ allowed_sandbox_modes: modes });
      expectRefusal(read, "malformed", "allowed_sandbox_modes");
    },
  );

  it("case 84: refuses a list without read-only that a host pattern chose", () => {
    const table = {
      allowed_sandbox_modes: ["read-only"],
      remote_sandbox_config: [
        { hostname_patterns: ["*"], allowed_sandbox_modes: ["workspace-write"] },
      ],
    };
    expectRefusal(() => ceilingOf(table), "malformed", "allowed_sandbox_modes");
  });

  it("case 85: refuses to give up the sandbox while a read is forbidden", () => {
    const table = { permissions: { filesystem: { deny_read: ["/srv/secret"] } } };
    expect(messageFor(table, asked("danger-full-access"), "plain")).toBe(
      `invalid value for \`sandbox_mode\`: \`danger-full-access\` is not in the allowed set [read-only, workspace-write] (set by ${SOURCE})`,
    );
    expect(messageFor(table, asked("workspace-write"))).toBe("allowed");
  });

  it("case 86: the first matching host pattern replaces the list", () => {
    const table = {
      allowed_sandbox_modes: ["read-only"],
      remote_sandbox_config: [
        { hostname_patterns: ["other"], allowed_sandbox_modes: ["read-only"] },
        {
          hostname_patterns: ["x", "BUILD-?.example.*"],
          allowed_sandbox_modes: ["read-only", "workspace-write"],
        },
        { hostname_patterns: ["*"], allowed_sandbox_modes: ["read-only", "danger-full-access"] },
      ],
    };
    const modes = (hostname: string) => ceilingOf(table, hostname).allowedModes;
    expect(modes("build-7.EXAMPLE.com.")).toEqual(["read-only", "workspace-write"]);
    expect(modes("build-77.example.com")).toEqual(["read-only", "danger-full-access"]);
    expect(modes("other")).toEqual(["read-only"]);
  });
});
