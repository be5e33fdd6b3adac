import { describe, expect, it } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  bindProfile,
  hostPathOfUri,
  parsePathUri,
  readCamelPolicy,
  readCanonicalProfile,
  readExecContext,
  readSandboxState,
} from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const FILES = { type: "restricted", entries: [] };

function exec(permissions: unknown, more: Readonly<Record<string, unknown>> = {}) {
  return readExecContext({ permissions, windowsSandboxLevel: "disabled", ...more });
}

describe("profiles on the wire", () => {
  it("case 66: refuses a state without a profile or without a cwd", () => {
    const disabled = { type: "disabled" };
    expectRefusal(() => readSandboxState({}), "malformed", "sandboxState.permissionProfile");
    const read = () => readSandboxState({ permissionProfile: disabled });
    expectRefusal(read, "malformed", 'sandboxState.sandboxCwd": missing');
  });

  it.each([
    [
      "restricted files without entries",
      { type: "managed", network: "restricted", file_system: { type: "restricted" } },
      "file_system.entries",
    ],
    ["managed without network", { type: "managed", file_system: FILES }, ".network"],
    ["managed without files", { type: "managed", network: "enabled" }, ".file_system"],
    ["external without network", { type: "external" }, ".network"],
    [
      "a depth of zero",
      { type: "managed", network: "restricted", file_system: { ...FILES, glob_scan_max_depth: 0 } },
      "glob_scan_max_depth",
    ],
  ])("case 67: refuses %s and says where", (_, value, member) => {
    expect(() => readCanonicalProfile(value)).toThrow(member);
    expect(() => exec(value)).toThrow(member);
  });

  it("case 67: refuses a kind it does not know and lists the known ones", () => {
    const entry = { path: { type: "special", value: { kind: "home" } }, access: "read" };
    const read = () =>
      readCanonicalProfile(wireOf([], { file_system: { ...FILES, entries: [entry] } }));
    expectRefusal(read, "unknown", 'entries[0].path.value.kind": found "home", expected "root"');
  });

  it("case 68: refuses an unknown member of a tagged profile, which Codex ignores", () => {
    const value = wireOf([], { readable_only: true });
    expectRefusal(() => readCanonicalProfile(value), "unknown", '"readable_only"');
    expectRefusal(() => exec(value), "unknown", '"readable_only"');
  });

  it("case 69: reads the pre-tagged form in the canonical dialect and refuses it in exec", () => {
    const value = { file_system: { read: ["/"], write: ["/r"] } };
    const bound = bindProfile(readCanonicalProfile(value), HOST);
    expect(accesses(bound, ["/srv", "/r/f"])).toEqual({ "/srv": "read", "/r/f": "write" });
    expect(() => exec(value)).toThrow('"sandbox.permissions.type": missing');
  });
});

describe("path URIs on the wire", () => {
  it.each(["file:/srv", "FILE:///srv", "file://localhost/srv", "file:srv", "file:////srv"])(
    "case 70: reads %s as /srv",
    (text) => {
      expect(hostPathOfUri(parsePathUri(text), "linux")).toBe("/srv");
    },
  );

  it.each([
    ["file://server/share", "file://server/share"],
    ["file:///c:/x", "file:///C:/x"],
  ])("case 71: reads %s and refuses it as a path of this host", (text, canonical) => {
    const uri = parsePathUri(text);
    expect(uri).toBe(canonical);
    const message = `'${canonical}' is invalid on 'linux'`;
    expectRefusal(() => hostPathOfUri(uri, "linux"), "unbindable", message);
  });

  it.each([
    ["file:///a?x", "query parameters are not allowed in path URIs"],
    ["file:///a#f", "fragments are not allowed in path URIs"],
    ["http://host/a", "unsupported path URI scheme `http`"],
    ["/a", "invalid URI: relative URL without a base"],
  ])("case 72: refuses %s", (text, message) => {
    expect(() => parsePathUri(text)).toThrow(expect.objectContaining({ message }));
  });

  it.each(["file:///a%00b", "file:///%00/bad/path/L0M6L3g=", "file:///%00/bad/path/L3Nydg"])(
    "case 72: reads %s and refuses it on a host",
    (text) => {
      const bind = () => hostPathOfUri(parsePathUri(text), "linux");
      expectRefusal(bind, "unbindable", `'${text}' is invalid on 'linux'`);
    },
  );
});

describe("what the forms mean here", () => {
  it("case 73: lets disabled run free and holds external to read-only", () => {
    const disabled = bindProfile({ type: "disabled" }, HOST);
    expect(disabled).toMatchObject({ enforcement: "disabled", network: { kind: "enabled" } });
    expect(accessTo(disabled, at("/etc"))).toBe("write");
    const external = bindProfile(
      { type: "external", unixSockets: "none", network: { kind: "enabled" } },
      HOST,
    );
    expect(external.enforcement).toBe("managed");
    expect(accesses(external, ["/", "/r/f"])).toEqual({ "/": "read", "/r/f": "read" });
  });

  it("case 74: restricts the network of unrestricted files", () => {
    const value = wireOf([], { file_system: { type: "unrestricted" } });
    expect(bindProfile(readCanonicalProfile(value), HOST)).toMatchObject({
      enforcement: "managed",
      files: { type: "unrestricted" },
      network: { kind: "restricted" },
    });
  });

  it("case 75: a grant on no workspace roots vanishes", () => {
    expect(accesses(boundWith([[":workspace_roots", "write"]], []), ["/r"])).toEqual({
      "/r": "deny",
    });
  });

  it.each([":workspace_roots", ":workspace_roots/secret", "glob:codex-project-roots://**/*.env"])(
    "case 75: refuses a deny on %s without workspace roots, which Codex drops",
    (target) => {
      const bind = () =>
        boundWith(
          [
            [":root", "read"],
            [target, "deny"],
          ],
          [],
        );
      expectRefusal(bind, "unbindable", ":workspace_roots");
    },
  );

  it("case 76: refuses a context without a Windows level or with one in camel case", () => {
    const permissions = { type: "disabled" };
    expect(() => readExecContext({ permissions })).toThrow('windowsSandboxLevel": missing');
    const camel = () => readExecContext({ permissions, windowsSandboxLevel: "restrictedToken" });
    expectRefusal(camel, "unknown", 'windowsSandboxLevel": found "restrictedToken"');
  });

  it("case 77: refuses a native path where a URI is due", () => {
    const message = 'entries[0].path.path": invalid URI: relative URL without a base';
    expectRefusal(() => exec(wireOf([["/r", "read"]])), "invalidPath", message);
    const roots = () => exec({ type: "disabled" }, { workspaceRoots: ["/r"] });
    expectRefusal(roots, "invalidPath", "sandbox.workspaceRoots[0]");
  });

  it.each(["read", "deny"])("case 77: refuses to bind a foreign URI with %s", (access) => {
    const { profile } = exec(wireOf([["file:///C:/srv", access]]));
    const message = "'file:///C:/srv' is invalid on 'linux'";
    expectRefusal(() => bindProfile(profile, HOST), "unbindable", message);
  });

  it("case 77: refuses a foreign workspace root", () => {
    const { workspaceRoots } = exec({ type: "disabled" }, { workspaceRoots: ["file:///C:/srv"] });
    const bind = () => workspaceRoots.map((root) => hostPathOfUri(root, "linux"));
    expectRefusal(bind, "unbindable", "'file:///C:/srv' is invalid on 'linux'");
  });

  it("case 87: reads and means restricted reads, which Codex no longer takes", () => {
    const restricted = { type: "restricted", readableRoots: ["/doc"] };
    expect(readCamelPolicy({ type: "readOnly", access: restricted })).toMatchObject({
      access: { type: "restricted", includePlatformDefaults: true, readableRoots: ["/doc"] },
    });
    expect(readCamelPolicy({ type: "readOnly", access: { type: "fullAccess" } })).toMatchObject({
      access: { type: "fullAccess" },
    });
  });
});
