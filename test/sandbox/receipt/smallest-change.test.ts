import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it, vi } from "vitest";
import {
  type AbsolutePath,
  accessTo,
  parseAbsolutePath as at,
  type BoundProfile,
  bindProfile,
  type Entry,
  type HostRoots,
  isWithin,
  namedProfile,
  readProfileTable,
  underCeiling,
} from "../../../src/policy/index.ts";
import { smallestChange } from "../../../src/sandbox/receipt/smallest-change.ts";
import {
  bindableEntry,
  entryAt,
  hostRoots,
  questions,
} from "../../policy/properties/arbitraries.ts";
import { boundWith, HOST } from "../../policy/support/profiles.ts";
import { campaign } from "../../support/campaign.ts";

vi.setConfig({ testTimeout: 60_000 });

const change = (profile: BoundProfile, path: string, wanted: "read" | "write") =>
  smallestChange({ profile, ceiling: undefined }, at(path), wanted);

const OPENNESS = { deny: 0, read: 1, write: 2 };

function bound(entries: readonly Entry[], host: HostRoots): BoundProfile {
  return bindProfile(
    {
      type: "managed",
      fileSystem: { type: "restricted", entries },
      network: { kind: "restricted" },
      unixSockets: "none",
    },
    host,
  );
}

/** The entries that lines of a configuration file make, read the way a file is read. */
function entriesOf(lines: readonly string[]): readonly Entry[] {
  const filesystem = parse(lines.join("\n"));
  const tables = new Map([["p", readProfileTable({ filesystem }, "permissions.p")]]);
  const { profile } = namedProfile("p", { tables, home: "/nowhere" });
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return [];
  return profile.fileSystem.entries;
}

/** The rules, as explained, that one entry makes. */
function rulesOf(entry: Entry, host: HostRoots) {
  const { files } = bound([entry], host);
  return files.type === "restricted" ? files.entries : [];
}

/** The profile after the change; nothing where a second entry stands at the same path. */
function changed(
  entries: readonly Entry[],
  host: HostRoots,
  asked: { before: BoundProfile; path: AbsolutePath; wanted: "read" | "write" },
): BoundProfile | undefined {
  const said = change(asked.before, asked.path, asked.wanted);
  if (said.kind === "none") return undefined;
  const added = entriesOf(said.lines);
  if (said.kind === "add") return bound([...entries, ...added], host);
  const here = (entry: Entry) => rulesOf(entry, host).filter(({ path }) => path === asked.path);
  const kept = entries.filter((entry) => !here(entry).some(({ rule }) => rule === said.replaces));
  if (kept.some((entry) => here(entry).length > 0)) return undefined;
  return bound([...kept, ...added], host);
}

const asked = fc
  .record({
    entries: fc.array(bindableEntry, { maxLength: 7 }),
    host: hostRoots,
    wanted: fc.constantFrom<"read" | "write">("read", "write"),
  })
  .chain((one) => {
    const before = bound(one.entries, one.host);
    return questions(before).chain((paths) =>
      fc.constantFrom(...paths).map((path) => ({ ...one, before, paths, path })),
    );
  })
  .filter(({ before, path, wanted }) => OPENNESS[accessTo(before, path)] < OPENNESS[wanted]);

describe("smallestChange", () => {
  it("grants the path that was asked for and nothing outside it", () => {
    let verified = 0;
    fc.assert(
      fc.property(asked, ({ entries, host, before, path, paths, wanted }) => {
        const after = changed(entries, host, { before, path, wanted });
        if (after === undefined) return;
        verified += 1;
        expect([path, accessTo(after, path)]).toEqual([path, wanted]);
        const wrong = paths.filter((one) => {
          const [was, is] = [accessTo(before, one), accessTo(after, one)];
          return isWithin(one, path) ? OPENNESS[is] < OPENNESS[was] : is !== was;
        });
        expect(wrong).toEqual([]);
      }),
      campaign(10_000),
    );
    expect(verified).toBeGreaterThan(50);
  });

  it("says that nothing can be added only where an entry for the path changes nothing", () => {
    fc.assert(
      fc.property(asked, ({ entries, host, before, path, wanted }) => {
        const said = change(before, path, wanted);
        if (said.kind !== "none") return;
        const after = bound([...entries, entryAt(path, wanted)], host);
        expect([said.why, accessTo(after, path)]).not.toEqual([said.why, wanted]);
      }),
      campaign(10_000),
    );
  });

  const profile = boundWith([
    [":root", "read"],
    [":workspace_roots", "write"],
    [":workspace_roots/keys", "deny"],
    ["/srv/docs", "read"],
    ["/srv/secret", "deny"],
    [":minimal", "deny"],
    ["glob:/r/**/*.env", "deny"],
  ]);

  it.each([
    ["/srv/a", "write", "add", '"/srv/a" = "write"'],
    ["/srv/secret/a", "read", "add", '"/srv/secret/a" = "read"'],
    ["/srv/docs", "write", "replace", '"/srv/docs" = "write"'],
    ["/srv/secret", "read", "replace", '"/srv/secret" = "read"'],
    ["/r/keys", "write", "replace", '":workspace_roots"."keys" = "write"'],
    ["/r/.git", "write", "add", '"/r/.git" = "write"'],
    ['/srv/"\n\u007f', "write", "add", '"/srv/\\"\\n\\u007f" = "write"'],
  ] as const)("for %j to %s: %s %s", (path, wanted, kind, line) => {
    expect(change(profile, path, wanted)).toMatchObject({ kind, lines: [line] });
    expect(entriesOf([line])).toHaveLength(1);
  });

  it.each([
    ["/r/a.env", "read", '"/r/**/*.env" = "deny" would have to change'],
    ["/usr", "read", 'it also holds for "/etc"'],
    ["/srv/a[1]", "write", "reads as a pattern"],
    ["/srv/**", "write", "reads as a pattern"],
    ["/proc/1/environ", "write", "command's own"],
    ["/srv/a", "read", "allowed already"],
  ] as const)("for %s to %s finds no line and says %s", (path, wanted, why) => {
    expect(change(profile, path, wanted)).toEqual({
      kind: "none",
      why: expect.stringContaining(why),
    });
  });

  it("says that a missing path is not made writable by naming it", () => {
    expect(change(profile, "/srv/a", "write")).toMatchObject({
      note: expect.stringContaining('"/srv" must be writable'),
    });
    expect(change(profile, "/srv/secret/a", "read")).toMatchObject({ note: null });
  });

  it("does not make a symbol writable that cannot be", () => {
    const host = { platformDefaults: [at("/usr")], tmpdir: at("/") };
    const minimal = boundWith([[":minimal", "deny"]], host);
    expect(change(minimal, "/usr", "write").kind).toBe("none");
    expect(change(minimal, "/usr", "read")).toMatchObject({ lines: ['":minimal" = "read"'] });
    expect(change(boundWith([[":tmpdir", "deny"]], host), "/", "write").kind).toBe("none");
  });

  it("names the file of the operator where a ceiling forbids the path", () => {
    const everything = boundWith([["/", "write"]]);
    const denies = [entryAt("/srv/secret", "deny")];
    const source = "/etc/writ/ceiling.toml";
    const ceiling = { source, bound: underCeiling(everything, { source, denies }, HOST) };
    const ask = (path: string) => smallestChange({ profile, ceiling }, at(path), "write");
    expect(ask("/srv/secret/a")).toMatchObject({
      kind: "none",
      why: expect.stringContaining(source),
    });
    expect(ask("/srv/a")).toMatchObject({ kind: "add" });
  });
});
