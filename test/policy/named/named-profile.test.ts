import { describe, expect, it } from "vitest";
import {
  bindProfile,
  namedProfile,
  type ProfileTables,
  readProfileTable,
  writeCanonicalProfile,
} from "../../../src/policy/index.ts";
import { accesses, HOST } from "../support/profiles.ts";
import { expectRefusal, refusalOf } from "../support/refusal.ts";

function tablesOf(tables: Readonly<Record<string, unknown>>, home = "/home/me"): ProfileTables {
  const entries = Object.entries(tables).map(
    ([name, table]) => [name, readProfileTable(table, name)] as const,
  );
  return { tables: new Map(entries), home };
}

function access(filesystem: unknown, paths: readonly string[], home?: string) {
  const { profile } = namedProfile("p", tablesOf({ p: { filesystem } }, home));
  return accesses(bindProfile(profile, HOST), [...paths]);
}

describe("namedProfile", () => {
  it("has the three built-in profiles under the ids that Codex gives them", () => {
    const none = tablesOf({});
    expect(
      writeCanonicalProfile(namedProfile(":danger-full-access", none).profile, "refuse"),
    ).toEqual({ type: "disabled" });
    for (const id of [":read-only", ":workspace"]) {
      expect(namedProfile(id, none).profile.type).toBe("managed");
    }
  });

  it("merges a parent first and lets the child's keys win", () => {
    const { tables, home } = tablesOf({
      base: { filesystem: { "/a": "write", "/b": "deny" }, network: { enabled: true } },
      p: { extends: "base", filesystem: { "/a": "read" }, limits: { processes: 4 } },
    });
    const named = namedProfile("p", { tables, home });
    expect(named).toMatchObject({
      id: "p",
      extends: "base",
      profile: { limits: { processes: 4 } },
    });
    expect(named.profile).toMatchObject({ network: { kind: "enabled" } });
    expect(accesses(bindProfile(named.profile, HOST), ["/a", "/b"])).toEqual({
      "/a": "read",
      "/b": "deny",
    });
  });

  it("replaces a parent's rule for a place however the place is spelled", () => {
    const { tables, home } = tablesOf({
      base: { filesystem: { ":workspace_roots": { ".": "write" }, "/a/b": "deny", "~/n": "deny" } },
      p: {
        extends: "base",
        filesystem: { ":project_roots": "read", "/a/./b/": "read", "/home/me/n": "read" },
      },
    });
    const { profile } = namedProfile("p", { tables, home });
    expect(accesses(bindProfile(profile, HOST), ["/r/x", "/a/b", "/home/me/n"])).toEqual({
      "/r/x": "read",
      "/a/b": "read",
      "/home/me/n": "read",
    });
  });

  it("extends a built-in profile without its default protections, which hold anyway", () => {
    const { profile } = namedProfile("p", tablesOf({ p: { extends: ":workspace" } }));
    expect(JSON.stringify(profile)).not.toContain("skip");
    expect(accesses(bindProfile(profile, HOST), ["/r/x", "/r/.git/x"])).toEqual({
      "/r/x": "write",
      "/r/.git/x": "read",
    });
  });

  it.each([
    ["an unknown name", { q: {} }, "p", "no such profile"],
    [
      "an unknown parent",
      { p: { extends: "q" }, base: {} },
      "p",
      'it extends "q", which is no parent, expected one of :read-only, :workspace, base',
    ],
    [
      "a parent that cannot be extended",
      { p: { extends: ":danger-full-access" } },
      "p",
      "is no parent, expected one of :read-only, :workspace",
    ],
    ["an unknown built-in name", {}, ":danger-no-sandbox", "no such profile"],
    ["a circle", { p: { extends: "q" }, q: { extends: "p" } }, "p", "comes back"],
    ["itself", { p: { extends: "p" } }, "p", "comes back"],
  ])("refuses %s", (_, tables, id, message) => {
    expectRefusal(() => namedProfile(id, tablesOf(tables)), "unknown", message);
  });

  it.each([
    ["a path", { p: { filesystem: { src: "read" } } }],
    ["the network", { p: { network: { domains: { "a.com": "allow" } } } }],
    ["a path of its parent", { p: { extends: "q" }, q: { filesystem: { src: "read" } } }],
  ])("is named where %s in it cannot be meant, so that it can be found", (_, tables) => {
    const chosen = () => namedProfile("p", tablesOf(tables));
    expectRefusal(chosen, "malformed", 'Cannot use profile "p": Cannot use ');
  });

  it("allows nothing when it says nothing", () => {
    expect(access({}, ["/", "/r/x"])).toEqual({ "/": "deny", "/r/x": "deny" });
  });

  it("adds the workspace roots that are true", () => {
    const roots = { workspace_roots: { "../lib": true, "/opt": false } };
    expect(namedProfile("p", tablesOf({ p: roots })).workspaceRoots).toEqual(["../lib"]);
  });

  it.each(["/a/link/../b", "../a/../b", "a/.."])(
    "refuses a workspace root that turns back: %s",
    (root) => {
      const chosen = () =>
        namedProfile("p", tablesOf({ p: { workspace_roots: { [root]: true } } }));
      expectRefusal(chosen, "malformed", '".."');
    },
  );
});

describe("the filesystem table", () => {
  it("reads symbols, paths, the home folder, nested places and patterns", () => {
    const filesystem = {
      ":root": "read",
      "~/notes": "write",
      "/var/log/**": "read",
      "/srv/**/*.key": "deny",
      "/data": { ".": "write", secret: "none", "*.tmp": "deny" },
      ":workspace_roots": { ".": "write", secrets: "deny", "**/*.env": "deny" },
    };
    const expected = {
      "/etc/x": "read",
      "/home/me/notes/a": "write",
      "/var/log/a": "read",
      "/srv/a/b.key": "deny",
      "/data/x": "write",
      "/data/secret/x": "deny",
      "/data/x.tmp": "deny",
      "/r/x": "write",
      "/r/secrets/x": "deny",
      "/r/a/b.env": "deny",
    };
    expect(access(filesystem, Object.keys(expected))).toEqual(expected);
  });

  it("takes the home folder and the path above a table as they are, whatever they are called", () => {
    expect(
      access({ "~/secret": "deny", ":root": "read" }, ["/h/[u]/secret", "/h/u/secret"], "/h/[u]"),
    ).toEqual({ "/h/[u]/secret": "deny", "/h/u/secret": "read" });
    expect(access({ "~/*.key": "deny", ":root": "read" }, ["/h/[u]/a.key"], "/h/[u]")).toEqual({
      "/h/[u]/a.key": "deny",
    });
  });

  it.each([
    ["an unknown symbol", { ":home": "read" }, ":home"],
    ["a relative path", { src: "read" }, "src"],
    ["a pattern that grants", { "/srv/*.txt": "read" }, "pattern"],
    [
      "a pattern that grants in the workspace",
      { ":workspace_roots": { "*.txt": "write" } },
      "pattern",
    ],
    ["a table below a symbol without places", { ":tmpdir": { a: "read" } }, "nested"],
    ["a table below a pattern", { "/srv/*": { a: "read" } }, "nested"],
    ["a place that climbs", { ":workspace_roots": { "../x": "read" } }, "../x"],
    ["a path that goes back, perhaps from where a link leads", { "/a/l/../s": "deny" }, '".."'],
    ["a table below one", { "/a/..": { s: "deny" } }, '".."'],
    ["one place said twice", { "/a": "read", "/a/": "write" }, "twice"],
    ["one place said with and without a table", { "/a": { b: "read" }, "/a/b": "write" }, "twice"],
    ["an unknown word", { "/a": "execute" }, "/a"],
  ])("refuses %s", (_, filesystem, message) => {
    expect(() => access(filesystem, [])).toThrow(message);
  });

  const WORDS = '"read" or "write" or "deny" or "none"';

  it.each([
    ["/a", { "/a": "wrte" }, `p.filesystem./a": found "wrte", expected ${WORDS} or an object`],
    ["/a", { "/a": 7 }, `p.filesystem./a": found 7, expected ${WORDS} or an object`],
    ["b", { "/a": { b: "wrte" } }, `p.filesystem./a.b": found "wrte", expected ${WORDS}`],
  ])("says which words there are for %s, where %j has another", (_, filesystem, message) => {
    expect(refusalOf(() => access(filesystem, [])).message).toBe(`Cannot read "${message}`);
  });

  it("keeps the scan depth apart from the paths", () => {
    const { profile } = namedProfile(
      "p",
      tablesOf({ p: { filesystem: { glob_scan_max_depth: 3, "/a": "read" } } }),
    );
    expect(profile).toMatchObject({ fileSystem: { globScanMaxDepth: 3 } });
    expect(() => tablesOf({ p: { filesystem: { glob_scan_max_depth: 0 } } })).toThrow(/depth/);
  });
});

describe("the network table", () => {
  const networkOf = (network: unknown) => {
    const { profile } = namedProfile("p", tablesOf({ p: { network } }));
    return profile.type === "managed" ? profile.network : undefined;
  };

  it.each([
    [undefined, "restricted"],
    [{}, "restricted"],
    [{ enabled: false }, "restricted"],
    [{ enabled: true }, "enabled"],
    [{ enabled: true, mode: "full" }, "enabled"],
    [{ enabled: true, mode: "limited" }, "ruled"],
    [{ enabled: true, domains: {} }, "ruled"],
    [{ enabled: true, unix_sockets: {} }, "ruled"],
    [{ enabled: true, ports: [] }, "ruled"],
  ])("reads %j as %s: a list that is empty allows nothing", (table, kind) => {
    expect(networkOf(table)).toMatchObject({ kind });
  });

  it.each([
    ["rules without being enabled", { domains: { "a.example": "allow" } }],
    ["a port in a domain", { enabled: true, domains: { "a.example:443": "allow" } }],
    ["a deny on everything", { enabled: true, domains: { "*": "deny" } }],
    ["an unknown key", { enabled: true, allowed: [] }],
  ])("refuses %s", (_, table) => {
    expect(() => networkOf(table)).toThrow(/Cannot/);
  });

  it("merges domains by name, so that a child keeps what it does not restate", () => {
    const { tables, home } = tablesOf({
      base: { network: { enabled: true, domains: { "a.example": "allow", "b.example": "deny" } } },
      p: { extends: "base", network: { domains: { "a.example": "deny" } } },
    });
    const { profile } = namedProfile("p", { tables, home });
    expect(profile).toMatchObject({
      network: { rules: { domains: { "a.example": "deny", "b.example": "deny" } } },
    });
  });
});

describe("unix_socket_access", () => {
  const profileOf = (...line: readonly object[]) => {
    const tables = line.map((network, index) => [
      `p${index}`,
      { network, ...(index > 0 && { extends: `p${index - 1}` }) },
    ]);
    return namedProfile(`p${line.length - 1}`, tablesOf(Object.fromEntries(tables))).profile;
  };

  it.each(["none", "private", "host"])("set to %s leaves the network off", (word) => {
    expect(profileOf({ unix_socket_access: word })).toMatchObject({
      network: { kind: "restricted" },
      unixSockets: word,
    });
  });

  it("leaves an enabled network without rules, and rules as they are", () => {
    const on = { enabled: true, unix_socket_access: "private" };
    expect(profileOf(on)).toMatchObject({ network: { kind: "enabled" }, unixSockets: "private" });
    const ruled = { ...on, unix_sockets: { "/run/a": "allow" } };
    expect(profileOf(ruled)).toMatchObject({
      network: { kind: "ruled", rules: { unixSockets: { "/run/a": "allow" } } },
      unixSockets: "private",
    });
  });

  it("is none where no table says it", () => {
    expect(profileOf({})).toMatchObject({ unixSockets: "none" });
    const { profile } = namedProfile("p", tablesOf({ p: { extends: ":workspace" } }));
    expect(profile).toMatchObject({ unixSockets: "none" });
  });

  it("comes from a parent unless the child says it", () => {
    const host = { unix_socket_access: "host" };
    expect(profileOf(host, {})).toMatchObject({ unixSockets: "host" });
    expect(profileOf(host, { enabled: true }, {})).toMatchObject({ unixSockets: "host" });
    expect(profileOf(host, { unix_socket_access: "none" })).toMatchObject({ unixSockets: "none" });
  });

  it.each([true, "all", "Host", {}])("refuses %j", (word) => {
    expect(() => profileOf({ unix_socket_access: word })).toThrow(/unix_socket_access/);
  });
});

describe("the limits table", () => {
  it("is written in the words of the file and read into those of the model", () => {
    const limits = { wall_time_ms: 1, memory_bytes: 2, open_files: 3 };
    expect(readProfileTable({ limits }, "p").limits).toEqual({
      wallTimeMs: 1,
      memoryBytes: 2,
      openFiles: 3,
    });
  });

  it.each([{ wall_time: 1 }, { wall_time_ms: 0 }, { wall_time_ms: "1" }])(
    "refuses %j",
    (limits) => {
      expect(() => readProfileTable({ limits }, "p")).toThrow(/limits/);
    },
  );
});
