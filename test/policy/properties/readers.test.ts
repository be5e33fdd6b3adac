import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  PolicyError,
  readCamelPolicy,
  readCanonicalProfile,
  readCeiling,
  readExecContext,
  readKebabPolicy,
  readSandboxState,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";

vi.setConfig({ testTimeout: 60_000 });

const READERS: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ["readCamelPolicy", readCamelPolicy],
  ["readKebabPolicy", readKebabPolicy],
  ["readCanonicalProfile", (value) => readCanonicalProfile(value)],
  ["readExecContext", readExecContext],
  ["readSandboxState", readSandboxState],
  [
    "readCeiling",
    (value) =>
      readCeiling(value, { source: "/etc/x", hostname: "h", folder: "/etc", profiles: [":a"] }),
  ],
];

/** Members and values that get past the first check, so that later ones are met too. */
const member = fc.constantFrom(
  ...["type", "path", "access", "entries", "file_system", "network", "writ", "limits", "domains"],
  ...["permissions", "permissionProfile", "sandboxPolicy", "sandboxCwd", "cwd", "workspaceRoots"],
  ...["writable_roots", "writableRoots", "value", "kind", "subpath", "pattern", "processes"],
  ...[
    "policyContext",
    "windowsSandboxLevel",
    "__proto__",
    "constructor",
    "toString",
    "unixSockets",
  ],
  ...["allowed_sandbox_modes", "deny_read", "filesystem", "hostname_patterns", "", "ports"],
);

const word = fc.constantFrom<unknown>(
  ...[
    "managed",
    "disabled",
    "external",
    "restricted",
    "unrestricted",
    "enabled",
    "path",
    "special",
  ],
  ...["glob_pattern", "root", "unknown", "project_roots", "read", "write", "deny", "none", "skip"],
  ...["read-only", "workspace-write", "readOnly", "workspaceWrite", "dangerFullAccess", "allow"],
  ...["/", "/a/../..", "//", "C:\\", "\\\\?\\x", "file:///a", "file:///%00", "~", "**", "{", "[a"],
  ...["\0", "\ud800", "__proto__", "*", "*.x", "x:1", "a{b,c}", 0, -1, 1.5, 1e308, true, null],
);

const shaped = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    word,
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(member, tie("value")), { maxLength: 5 })
      .map((members) => Object.fromEntries(members)),
  ),
})).value;

/** Documents that are right but for one member, which is anything. */
const almost = fc.tuple(member, shaped).chain(([key, value]) =>
  fc.constantFrom(
    {
      type: "managed",
      file_system: { type: "restricted", entries: [] },
      network: "enabled",
      [key]: value,
    },
    {
      type: "managed",
      file_system: { type: "restricted", entries: [value] },
      network: "restricted",
    },
    {
      type: "managed",
      file_system: { type: "unrestricted" },
      network: "restricted",
      writ: { [key]: value },
    },
    { type: "workspaceWrite", [key]: value },
    { type: "workspace-write", [key]: value },
    { permissionProfile: { type: "disabled" }, sandboxCwd: "/w", [key]: value },
    { permissions: { type: "disabled" }, windowsSandboxLevel: "disabled", [key]: value },
    { permissions: { [key]: value } },
    { [key]: value },
  ),
);

describe("a reader of untrusted values", () => {
  it.each(READERS)("%s returns or throws a PolicyError, never anything else", (_, read) => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped, almost), (value) => {
        try {
          read(value);
        } catch (error) {
          expect(error).toBeInstanceOf(PolicyError);
        }
      }),
      campaign(3000),
    );
  });

  it("says a PolicyError also for values that no JSON holds", () => {
    const cycle: Record<string, unknown> = {};
    cycle.type = cycle;
    const foreign = [undefined, 10n, Symbol("x"), () => 1, new Date(0), cycle, Number.NaN];
    const documents = foreign.flatMap((value) => [value, { type: value }, { sandboxCwd: value }]);
    const errors = READERS.flatMap(([, read]) => documents.map((one) => thrownBy(() => read(one))));
    expect(errors.filter((error) => !(error instanceof PolicyError))).toEqual([]);
  });

  it.each(READERS)("%s leaves no trace on the prototype of objects", (_, read) => {
    const hostile = JSON.parse('{"__proto__":{"type":"dangerFullAccess"},"type":"readOnly"}');
    expect(() => read(hostile)).toThrow(PolicyError);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe("a member of a newer party that may restrict", () => {
  const state = { permissionProfile: { type: "disabled" }, sandboxCwd: "/w" };
  const context = { permissions: { type: "disabled" }, windowsSandboxLevel: "disabled" };
  const names = ["deniedPaths", "writableRoots", "hiddenPaths", "egress", "expiresAt", "blacklist"];

  it.each(names)("is refused in a sandbox state: %s", (name) => {
    expect(() => readSandboxState({ ...state, [name]: [] })).toThrow(PolicyError);
  });

  it.each(names)("is refused in an exec context: %s", (name) => {
    expect(() => readExecContext({ ...context, [name]: [] })).toThrow(PolicyError);
  });

  it.each(names)("is refused in the policy context of an exec context: %s", (name) => {
    const policyContext = { workspaceRoots: [], [name]: [] };
    expect(() => readExecContext({ ...context, policyContext })).toThrow(PolicyError);
  });
});

describe("network rules that were read", () => {
  const key = fc.constantFrom(
    "x.io",
    "X.IO",
    " x.io ",
    "x.io.",
    "__PROTO__",
    "__proto__.",
    "a_b",
    "*",
  );
  const verdict = fc.constantFrom("allow", "deny");

  it("hold every domain that was denied, in whatever spelling", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, verdict), { maxLength: 4 }), (pairs) => {
        const domains = Object.fromEntries(pairs);
        let read: ReturnType<typeof readCanonicalProfile>;
        try {
          read = readCanonicalProfile({
            type: "external",
            network: "restricted",
            writ: { network: { domains } },
          });
        } catch (error) {
          expect(error).toBeInstanceOf(PolicyError);
          return;
        }
        const kept =
          read.type === "external" && read.network.kind === "ruled" && read.network.rules;
        const plain = (text: string) => text.trim().toLowerCase().replace(/\.+$/, "");
        for (const [text, word] of Object.entries(domains)) {
          if (word !== "deny") continue;
          expect(kept && Object.entries(kept.domains)).toContainEqual([plain(text), "deny"]);
        }
      }),
      campaign(1000),
    );
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
