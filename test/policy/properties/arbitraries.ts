/**
 * Generators for policies, hosts and paths.
 *
 * Few names and short paths, so that entries, roots and questions overlap often; the odd characters
 * that only matter to spelling live in `spelling-arbitraries.ts`.
 */
import fc from "fast-check";
import {
  type AbsolutePath,
  type Access,
  parseAbsolutePath as at,
  type BoundProfile,
  type Entry,
  type FileSystem,
  type HostRoots,
  type Limits,
  type Network,
  type PermissionProfile,
  PROTECTED_NAMES,
  type UnixSockets,
  uriOfNative,
} from "../../../src/policy/index.ts";

export const NAMES = ["a", "b", "c", ".git", ".vscode", "k.env"] as const;

const name = fc.constantFrom(...NAMES);

export const absolutePath: fc.Arbitrary<AbsolutePath> = fc
  .array(name, { maxLength: 5 })
  .map((names) => at(`/${names.join("/")}`));

const folder = fc
  .array(name, { minLength: 1, maxLength: 2 })
  .map((names) => at(`/${names.join("/")}`));

export const access: fc.Arbitrary<Access> = fc.constantFrom("read", "write", "deny");

const missing = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ missing: "skip" as const }) },
);

const subpath = fc.option(
  fc.array(name, { minLength: 1, maxLength: 2 }).map((names) => names.join("/")),
  { nil: undefined },
);

const pathEntry = fc
  .tuple(absolutePath, access, missing)
  .map(([path, word, more]) => entryAt(path, word, more));

const workspaceEntry = fc
  .tuple(subpath, access, missing)
  .map(([below, word, more]) =>
    entry(
      { type: "workspaceRoots", ...(below !== undefined && { subpath: below }) },
      { access: word, ...more },
    ),
  );

const symbolEntry = fc.oneof(
  fc
    .tuple(fc.constantFrom("root", "tmpdir", "slashTmp"), access, missing)
    .map(([type, word, more]) => entry({ type }, { access: word, ...more })),
  fc
    .constantFrom<Access>("read", "deny")
    .map((word) => entry({ type: "minimal" }, { access: word })),
);

const globPattern = fc
  .array(fc.constantFrom(...NAMES, "*", "**", "*.env", "?", "[ab]", "{a,b}"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((names) => names.join("/"));

const globEntry = fc
  .tuple(fc.constantFrom("absolute", "cwd", "workspaceRoots"), globPattern)
  .map(([base, pattern]) =>
    entry(
      { type: "glob", base, pattern: base === "absolute" ? `/${pattern}` : pattern },
      { access: "deny" },
    ),
  );

/** Entries that every host of {@link hostRoots} can bind. */
export const bindableEntry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 6, arbitrary: pathEntry },
  { weight: 3, arbitrary: workspaceEntry },
  { weight: 2, arbitrary: symbolEntry },
  { weight: 1, arbitrary: globEntry },
);

export const unknownEntry: fc.Arbitrary<Entry> = fc
  .tuple(fc.constantFrom(":later", ":home"), subpath, access)
  .map(([token, below, word]) =>
    entry(
      { type: "unknown", token, ...(below !== undefined && { subpath: below }) },
      { access: word },
    ),
  );

export const restricted: fc.Arbitrary<FileSystem> = fc
  .record({
    entries: fc.array(bindableEntry, { maxLength: 8 }),
    depth: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 3 }),
  })
  .map(({ entries, depth }) => ({
    type: "restricted",
    entries,
    ...(depth !== undefined && { globScanMaxDepth: depth }),
  }));

const amount = fc.integer({ min: 1, max: 5 });

export const limits: fc.Arbitrary<Limits> = fc.record(
  { wallTimeMs: amount, memoryBytes: amount, processes: amount, openFiles: amount },
  { requiredKeys: [] },
);

const verdict = fc.constantFrom<"allow" | "deny">("allow", "deny");

const domain = fc.constantFrom(
  "x.io",
  "a.x.io",
  "*.x.io",
  "**.x.io",
  "**.a.x.io",
  "127.0.0.1",
  "localhost",
);

export const networkRules = fc
  .record({
    mode: fc.constantFrom<"full" | "limited">("full", "limited"),
    domains: fc.dictionary(domain, verdict, { maxKeys: 4, noNullPrototype: true }),
    everyDomain: fc.boolean(),
    ports: fc.option(fc.array(fc.constantFrom(80, 443, 8080), { maxLength: 3 }), {
      nil: undefined,
    }),
    unixSockets: fc.dictionary(fc.constantFrom("/run/a", "/run/b"), verdict, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    allowLocalBinding: fc.boolean(),
  })
  .map(({ everyDomain, ports, domains, ...rules }) => ({
    ...rules,
    domains: everyDomain ? { ...domains, "*": "allow" as const } : domains,
    ...(ports !== undefined && { ports }),
  }));

export const network: fc.Arbitrary<Network> = fc.oneof(
  fc.constantFrom<Network>({ kind: "restricted" }, { kind: "enabled" }),
  networkRules.map((rules) => ({ kind: "ruled" as const, rules })),
);

export const unixSockets = fc.constantFrom<UnixSockets>("none", "private", "host");

const maybeLimits = fc.option(limits, { nil: undefined, freq: 3 });

export const managedProfile: fc.Arbitrary<PermissionProfile> = fc
  .tuple(restricted, network, unixSockets, maybeLimits)
  .map(([fileSystem, rules, sockets, most]) => ({
    type: "managed",
    fileSystem,
    network: rules,
    unixSockets: sockets,
    ...(most && { limits: most }),
  }));

export const anyProfile: fc.Arbitrary<PermissionProfile> = fc.oneof(
  { weight: 6, arbitrary: managedProfile },
  {
    weight: 1,
    arbitrary: fc.tuple(network, unixSockets, maybeLimits).map(
      ([rules, sockets, most]): PermissionProfile => ({
        type: "managed",
        fileSystem: { type: "unrestricted" },
        network: rules,
        unixSockets: sockets,
        ...(most && { limits: most }),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: maybeLimits.map(
      (most): PermissionProfile => ({
        type: "disabled",
        ...(most && { limits: most }),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(network, unixSockets, maybeLimits).map(
      ([rules, sockets, most]): PermissionProfile => ({
        type: "external",
        network: rules,
        unixSockets: sockets,
        ...(most && { limits: most }),
      }),
    ),
  },
);

/** A host on which every symbol but an unknown one has a place, and none is the whole disk. */
export const hostRoots: fc.Arbitrary<HostRoots> = fc.record({
  system: fc.constantFrom<HostRoots["system"]>("linux", "macos"),
  cwd: folder,
  workspaceRoots: fc.uniqueArray(folder, { minLength: 1, maxLength: 2 }),
  tmpdir: fc.oneof(folder, fc.constant(at("/a"))),
  slashTmp: fc.constantFrom(at("/a"), at("/b")),
  platformDefaults: fc.constant([at("/c"), at("/a/b")]),
  protectedNames: fc.constantFrom(PROTECTED_NAMES, PROTECTED_NAMES.slice(0, 1), []),
  externalSandbox: fc.constantFrom<HostRoots["externalSandbox"]>("trusted", "absent"),
});

/** Paths worth asking about: named ones, what is around them, and some at random. */
export function questions(...profiles: readonly BoundProfile[]): fc.Arbitrary<AbsolutePath[]> {
  const named = profiles.flatMap(({ files }) =>
    files.type === "restricted" ? files.entries.map(({ path }) => path) : [],
  );
  const around = ["/", ...named].flatMap((path) =>
    ["", "/a", "/.git", "/.git/a", "/.vscode", "/k.env", "/b/k.env"].map((tail) => at(path + tail)),
  );
  return fc.array(absolutePath, { maxLength: 10 }).map((random) => [...around, ...random]);
}

export function entryAt(path: string, word: Access, more: object = {}): Entry {
  return entry({ type: "path", path: uriOfNative(path) }, { access: word, ...more });
}

/** Brands are lost on generated text; every text above has the form its brand promises. */
function entry(target: object, rest: object): Entry {
  return { target, ...rest } as unknown as Entry;
}
