/** What is believed of a start whose answer was lost with the connection. */
import { describe, expect, it } from "vitest";
import type { SandboxIntent } from "../../../src/exec/intent/sandbox-intent.ts";
import { confirmSandbox } from "../../../src/exec/remote/confirm-sandbox.ts";
import type { ServerTrust } from "../../../src/exec/remote/server-trust.ts";
import { type PermissionProfile, uriOfNative } from "../../../src/policy/index.ts";

const OURS: ServerTrust = {
  kind: "writ",
  system: "linux",
  promise: {
    version: 1,
    executorId: "e",
    enforces: true,
    waivers: "allowed",
    signatures: "unknown",
  },
};
const OTHERS: ServerTrust = { kind: "enforcing" };

function enforced(profile: PermissionProfile): SandboxIntent {
  const settings = { windowsSandboxLevel: "disabled" } as const;
  return { kind: "enforce", context: { profile, workspaceRoots: [], settings } };
}

const closed = { network: { kind: "restricted" }, unixSockets: "none" } as const;
const MANAGED = enforced({ type: "managed", fileSystem: { type: "unrestricted" }, ...closed });
const EXTERNAL = enforced({ type: "external", ...closed });
const DISABLED = enforced({ type: "disabled" });
const WAIVED: SandboxIntent = { kind: "waived", by: "a person", reason: "a reason" };

function unheard(sandbox: SandboxIntent, trust: ServerTrust) {
  const request = {
    processId: "p",
    argv: ["true"],
    arg0: null,
    cwd: uriOfNative("/"),
    envPolicy: null,
    env: {},
    terminal: null,
    pipeStdin: false,
    anchor: null,
    ids: {},
    sandbox,
  };
  return confirmSandbox(request, { kind: "unheard" }, trust);
}

describe("a start that nobody heard the answer to", () => {
  it("is confined where our server was asked to confine it", () => {
    expect(unheard(MANAGED, OURS)).toBe("linuxSeccomp");
  });

  it.each([
    ["a policy that confines nothing", DISABLED],
    ["a waiver", WAIVED],
  ])("is unconfined under %s, whatever the server can do", (_, sandbox) => {
    expect([unheard(sandbox, OURS), unheard(sandbox, OTHERS)]).toEqual(["none", "none"]);
  });

  it.each([
    ["another's server", MANAGED, OTHERS],
    ["our server that may trust what is around it", EXTERNAL, OURS],
  ])("is ended on %s", (_, sandbox, trust) => {
    expect(() => unheard(sandbox, trust)).toThrow("cut off before it could say");
  });
});
