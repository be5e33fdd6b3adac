import { describe, expect, it } from "vitest";
import { ExecError } from "../../../src/exec/exec-error.ts";
import { intentOfWire } from "../../../src/exec/intent/intent-of-wire.ts";

const CONTEXT = {
  permissions: {
    type: "managed",
    file_system: {
      type: "restricted",
      entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }],
    },
    network: "restricted",
  },
  windowsSandboxLevel: "disabled",
};

describe("intentOfWire", () => {
  it.each([null, undefined])("reads %s as the client's own waiver", (nothing) => {
    expect(intentOfWire(nothing, "client")).toEqual({
      kind: "waived",
      by: "client",
      reason: "the client asked for no sandbox",
    });
  });

  it("reads a context as an intent", () => {
    expect(intentOfWire(CONTEXT, "client")).toMatchObject({
      kind: "enforce",
      context: { profile: { type: "managed" }, workspaceRoots: [] },
    });
  });

  it("reads places that must not be turned, which only narrow", () => {
    const unturned = ["file:///srv/ws"];
    expect(intentOfWire({ ...CONTEXT, unturned }, "client")).toMatchObject({ unturned });
    for (const wrong of [null, "file:///srv", [1], ["no uri"], {}]) {
      const read = () => intentOfWire({ ...CONTEXT, unturned: wrong }, "client");
      expect(read).toThrow(expect.objectContaining({ code: "invalidRequest" }));
    }
  });

  it.each([
    ["an empty object", {}],
    ["false", false],
    ["a text", ""],
    ["a list", []],
    ["no permissions", { windowsSandboxLevel: "disabled" }],
    ["an unknown member that may restrict", { ...CONTEXT, denyAll: true }],
    ["an unknown kind of profile", { ...CONTEXT, permissions: { type: "open" } }],
  ])("refuses %s and does not take it for a waiver", (_, value) => {
    const read = () => intentOfWire(value, "client");
    expect(read).toThrow(ExecError);
    expect(read).toThrow(expect.objectContaining({ code: "invalidRequest", field: "sandbox" }));
  });

  it("refuses rules that name more places than can be looked up while others wait", () => {
    const inRoot = (number: number) => ({
      path: { type: "special", value: { kind: "project_roots", subpath: `s${number}` } },
      access: "read",
    });
    const entries = Array.from({ length: 64 }, (_, number) => inRoot(number));
    const permissions = { ...CONTEXT.permissions, file_system: { type: "restricted", entries } };
    const workspaceRoots = Array.from({ length: 64 }, (_, number) => `file:///r${number}`);
    const read = (context: object) => intentOfWire({ ...CONTEXT, permissions, ...context }, "x");
    expect(() => read({ workspaceRoots })).toThrow("4160 places");
    expect(() => read({ policyContext: { workspaceRoots } })).toThrow("4160 places");
    expect(read({ workspaceRoots, policyContext: {} }).kind).toBe("enforce");
  });
});
