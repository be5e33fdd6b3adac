/** What every reader refuses, whichever dialect it reads. */
import { describe, expect, it } from "vitest";
import {
  readCamelPolicy,
  readCanonicalProfile,
  readCeiling,
  readExecContext,
  readKebabPolicy,
  readSandboxState,
} from "../../src/policy/index.ts";
import { type Rule, wireOf } from "./support/profiles.ts";
import { expectRefusal, refusalOf } from "./support/refusal.ts";

type Read = (value: unknown) => unknown;

/** A reader, the name its messages begin with, and a document whose member `slot` holds a path. */
interface Dialect {
  readonly read: Read;
  readonly what: string;
  readonly document: (slot: unknown) => object;
}

const dialects: [string, Dialect][] = [
  [
    "camel",
    {
      read: readCamelPolicy,
      what: "sandboxPolicy",
      document: (slot) => ({ type: "workspaceWrite", writableRoots: [slot] }),
    },
  ],
  [
    "kebab",
    {
      read: readKebabPolicy,
      what: "sandboxPolicy",
      document: (slot) => ({ type: "workspace-write", writable_roots: [slot] }),
    },
  ],
  [
    "canonical",
    {
      read: (value) => readCanonicalProfile(value),
      what: "permissionProfile",
      document: (slot) => wireOf([], pathEntry(slot)),
    },
  ],
  [
    "exec",
    {
      read: readExecContext,
      what: "sandbox",
      document: (slot) => ({
        permissions: wireOf([], pathEntry(slot)),
        windowsSandboxLevel: "disabled",
      }),
    },
  ],
  [
    "state",
    {
      read: readSandboxState,
      what: "sandboxState",
      document: (slot) => ({ permissionProfile: wireOf([], pathEntry(slot)), sandboxCwd: "/r" }),
    },
  ],
  [
    "ceiling",
    {
      read: (value) =>
        readCeiling(value, { source: "/etc/req", hostname: "h", folder: "/etc", profiles: [] }),
      what: "/etc/req",
      document: (slot) => ({ permissions: { filesystem: { deny_read: [slot] } } }),
    },
  ],
];

function pathEntry(path: unknown) {
  return {
    file_system: {
      type: "restricted",
      entries: [{ path: { type: "path", path }, access: "read" }],
    },
  };
}

function nested(depth: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

describe.each(dialects)("the %s reader", (_, { read, what, document }) => {
  it.each([
    ["a NUL byte", "/a\0b", "/a\\u0000b"],
    ["a lone high surrogate", "/\ud800", "/\\ud800"],
    ["a lone low surrogate", "/\udc00x", "/\\udc00x"],
  ])("refuses %s and shows the text", (_name, text, shown) => {
    expectRefusal(() => read(document(text)), "malformed", shown);
  });

  it("refuses an own member __proto__ at any depth", () => {
    const sneaky = JSON.parse('{"__proto__":{"type":"disabled"}}');
    expectRefusal(() => read({ ...document("/a"), extra: [sneaky] }), "unknown", '"__proto__"');
    expectRefusal(() => read(document(sneaky)), "unknown", '"__proto__"');
  });

  it("refuses a thousand levels and an endless value", () => {
    expectRefusal(() => read(document(nested(1000))), "tooLarge", what);
    const endless: unknown[] = [];
    endless.push(endless);
    expectRefusal(() => read(document(endless)), "tooLarge", what);
  });

  it("refuses more than eight mebibytes of text, in one piece or in many", () => {
    const half = "x".repeat(4 * 1024 * 1024);
    expectRefusal(() => read(document(`/${half}${half}`)), "tooLarge", "8388608");
    expectRefusal(() => read({ ...document("/a"), x: half, [half]: "y" }), "tooLarge", "8388608");
  });

  it("refuses more than 262144 values", () => {
    expectRefusal(() => read(document(Array(262_144).fill(0))), "tooLarge", "262144");
  });

  it.each([null, 1, true, {}, []])("refuses %j for a path and names the member", (slot) => {
    const { message, code } = refusalOf(() => read(document(slot)));
    expect(message).toMatch(/"[^"]*\[0\](\.path\.path)?": found/);
    expect(code).toBe("malformed");
  });

  it.each([undefined, null, "x", 7, true])("refuses %j as a document", (value) => {
    expectRefusal(() => read(value), "malformed", `"${what}`);
  });

  it("leaves the document as it was", () => {
    const value = document("file:///a");
    const text = JSON.stringify(value);
    try {
      read(value);
    } catch {
      // Some dialects refuse a URI here; what matters is that they did not write to it.
    }
    expect(JSON.stringify(value)).toBe(text);
  });
});

const rules = (...entries: Rule[]) => wireOf(entries);
const specials = (value: unknown) =>
  wireOf([], {
    file_system: {
      type: "restricted",
      entries: [{ path: { type: "special", value }, access: "read" }],
    },
  });

describe.each<[string, Read, string]>([
  ["canonical", (value) => readCanonicalProfile(value), "permissionProfile"],
  [
    "exec",
    (value) => readExecContext({ permissions: value, windowsSandboxLevel: "disabled" }),
    "sandbox.permissions",
  ],
  [
    "state",
    (value) => readSandboxState({ permissionProfile: value, sandboxCwd: "/r" }),
    "sandboxState.permissionProfile",
  ],
])("a profile in the %s dialect", (_, read, what) => {
  const entry = `${what}.file_system.entries[0]`;

  it.each<[string, unknown, string]>([
    ["an unknown type", { type: "open" }, `${what}.type": found "open"`],
    ["an unknown access", rules([":root", "execute"]), `${entry}.access": found "execute"`],
    ["an access in capitals", rules([":root", "Read"]), `${entry}.access": found "Read"`],
    ["an unknown kind", specials({ kind: "home" }), `${entry}.path.value.kind": found "home"`],
    ["an unknown member of a symbol", specials({ kind: "root", subpath: "a" }), '"subpath"'],
    ["an unknown member of the profile", wireOf([], { ceiling: 1 }), '"ceiling"'],
    ["an unknown network", wireOf([], { network: "on" }), `${what}.network": found "on"`],
    ["unknown files", wireOf([], { file_system: { type: "open" } }), `${what}.file_system.type`],
    [
      "an unknown behaviour for missing paths",
      rules([":root", "read", "create" as "skip"]),
      `${entry}.missing_path_behavior": found "create"`,
    ],
    [
      "a member on unrestricted files",
      wireOf([], { file_system: { type: "unrestricted", entries: [] } }),
      '"entries"',
    ],
    ["a member on disabled", { type: "disabled", network: "restricted" }, '"network"'],
  ])("refuses %s as unknown", (_name, value, named) => {
    expectRefusal(() => read(value), "unknown", named);
  });

  it.each(["..", "../x", "a/../../x", "/etc", "C:\\x", "a\\b"])(
    "refuses the subpath %s",
    (subpath) => {
      const value = specials({ kind: "project_roots", subpath });
      expectRefusal(() => read(value), "invalidPath", `${entry}.path.value.subpath`);
      const unknown = specials({ kind: "unknown", path: ":x", subpath });
      expectRefusal(() => read(unknown), "invalidPath", `${entry}.path.value.subpath`);
    },
  );

  it.each([0, -1, 1.5, "3", true, Number.POSITIVE_INFINITY])(
    "refuses the scan depth %j",
    (depth) => {
      const file_system = { type: "restricted", entries: [], glob_scan_max_depth: depth };
      const { message } = refusalOf(() => read(wireOf([], { file_system })));
      expect(message).toContain(`${what}.file_system.glob_scan_max_depth`);
    },
  );

  it.each(["", "/r/a**b", "/r/../x", "{a", "a}", "{a}", "codex-project-roots:///etc/*", "/"])(
    "refuses the pattern %j",
    (pattern) => {
      expectRefusal(() => read(rules([`glob:${pattern}`, "deny"])), "invalidPath", `${entry}.path`);
    },
  );

  it.each<[string, unknown, string]>([
    ["a missing type of a target", { path: { path: "/a" }, access: "read" }, `${entry}.path.type`],
    ["a missing access", { path: { type: "special", value: { kind: "root" } } }, `${entry}.access`],
    ["a missing path", { access: "read" }, `${entry}.path`],
    ["a missing symbol", { path: { type: "special" }, access: "read" }, `${entry}.path.value`],
  ])("calls %s malformed, not unknown", (_name, wire, named) => {
    const value = wireOf([], { file_system: { type: "restricted", entries: [wire] } });
    expectRefusal(() => read(value), "malformed", named);
  });
});

describe("the policy readers", () => {
  it.each(["a", "./a", "~/a", "C:a", ""])("refuse the relative root %j and name it", (root) => {
    const named = `[1]": path \`${root}\` is not absolute`;
    expectRefusal(
      () => readCamelPolicy({ type: "workspaceWrite", writableRoots: ["/x", root] }),
      "invalidPath",
      named,
    );
    expectRefusal(
      () => readKebabPolicy({ type: "workspace-write", writable_roots: ["/x", root] }),
      "invalidPath",
      named,
    );
  });
});
