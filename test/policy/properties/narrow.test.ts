import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type AbsolutePath,
  type Access,
  accessTo,
  type BoundProfile,
  bindProfile,
  firstWidening,
  narrow,
  PROTECTED_NAMES,
  type UnixSockets,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { anyProfile, hostRoots, questions } from "./arbitraries.ts";
import { letsThrough, requests } from "./naive-network.ts";

vi.setConfig({ testTimeout: 60_000 });

const OPENNESS: Readonly<Record<Access, number>> = { deny: 0, read: 1, write: 2 };

const SOCKETS: readonly UnixSockets[] = ["none", "private", "host"];

function reach({ unixSockets }: BoundProfile): number {
  return SOCKETS.indexOf(unixSockets);
}

function stricter(a: Access, b: Access): Access {
  return OPENNESS[a] < OPENNESS[b] ? a : b;
}

/** Parties may hold different names protected, so each profile brings its own. */
const bindable = fc.tuple(
  anyProfile,
  fc.constantFrom(PROTECTED_NAMES, PROTECTED_NAMES.slice(0, 1), []),
);

/** Three profiles of one host, and paths to ask all of them about. */
const three = fc
  .tuple(fc.tuple(bindable, bindable, bindable), hostRoots)
  .map(([all, host]) =>
    all.map(([profile, protectedNames]) => bindProfile(profile, { ...host, protectedNames })),
  )
  .chain((profiles) => questions(...profiles).map((paths) => ({ profiles, paths })))
  .map(({ profiles: [a, b, c], paths }) => {
    if (a === undefined || b === undefined || c === undefined) throw new Error("three were made");
    return { a, b, c, paths };
  });

/** Everything a profile means, as far as it can be asked. */
function meaning(bound: BoundProfile, paths: readonly AbsolutePath[]) {
  return {
    enforcement: bound.enforcement,
    access: paths.map((path) => accessTo(bound, path)),
    network: requests.map((request) => letsThrough(bound.network, request)),
    unixSockets: bound.unixSockets,
    limits: bound.limits ?? {},
  };
}

describe("narrow", () => {
  it("gives every path exactly the stricter of both answers", () => {
    fc.assert(
      fc.property(three, ({ a, b, paths }) => {
        const both = narrow(a, b);
        const expected = paths.map((path) => [
          path,
          stricter(accessTo(a, path), accessTo(b, path)),
        ]);
        expect(paths.map((path) => [path, accessTo(both, path)])).toEqual(expected);
      }),
      campaign(5000),
    );
  });

  it("lets through exactly the requests that both let through", () => {
    fc.assert(
      fc.property(three, ({ a, b }) => {
        const both = narrow(a, b);
        const expected = requests.filter(
          (request) => letsThrough(a.network, request) && letsThrough(b.network, request),
        );
        expect(requests.filter((request) => letsThrough(both.network, request))).toEqual(expected);
      }),
      campaign(2000),
    );
  });

  it("keeps exactly the stricter word on unix sockets", () => {
    fc.assert(
      fc.property(three, ({ a, b }) => {
        expect(reach(narrow(a, b))).toBe(Math.min(reach(a), reach(b)));
      }),
      campaign(1000),
    );
  });

  it("keeps the lower of every limit", () => {
    fc.assert(
      fc.property(three, ({ a, b }) => {
        const both = narrow(a, b).limits ?? {};
        for (const name of ["wallTimeMs", "memoryBytes", "processes", "openFiles"] as const) {
          const given = [a.limits?.[name], b.limits?.[name]].filter((one) => one !== undefined);
          expect(both[name]).toBe(given.length === 0 ? undefined : Math.min(...given));
        }
      }),
      campaign(1000),
    );
  });

  it("means the same twice, in either order and however it is grouped", () => {
    fc.assert(
      fc.property(three, ({ a, b, c, paths }) => {
        const both = narrow(a, b);
        expect(meaning(narrow(a, a), paths)).toEqual(meaning(a, paths));
        expect(meaning(narrow(both, b), paths)).toEqual(meaning(both, paths));
        expect(meaning(narrow(b, a), paths)).toEqual(meaning(both, paths));
        expect(meaning(narrow(narrow(a, b), c), paths)).toEqual(
          meaning(narrow(a, narrow(b, c)), paths),
        );
      }),
      campaign(2000),
    );
  });

  it("keeps every deny pattern of both", () => {
    fc.assert(
      fc.property(three, ({ a, b }) => {
        const { files } = narrow(a, b);
        const kept = files.type === "restricted" ? files.globs.map(({ pattern }) => pattern) : [];
        for (const side of [a.files, b.files]) {
          if (side.type === "restricted") {
            expect(kept).toEqual(expect.arrayContaining(side.globs.map(({ pattern }) => pattern)));
          }
        }
      }),
      campaign(1000),
    );
  });

  it("never looks less deep for matches than either side with patterns asks", () => {
    fc.assert(
      fc.property(three, ({ a, b }) => {
        const depth = ({ files }: BoundProfile) =>
          (files.type === "restricted" && files.globScanMaxDepth) || Number.POSITIVE_INFINITY;
        for (const side of [a, b]) {
          if (side.files.type === "restricted" && side.files.globs.length > 0) {
            expect(depth(narrow(a, b))).toBeGreaterThanOrEqual(depth(side));
          }
        }
      }),
      campaign(1000),
    );
  });
});

describe("firstWidening", () => {
  it("finds none in an intersection", () => {
    fc.assert(
      fc.property(three, ({ a, b }) => {
        expect(firstWidening(narrow(a, b), a)).toBeUndefined();
        expect(firstWidening(narrow(a, b), b)).toBeUndefined();
      }),
      campaign(3000),
    );
  });

  it("finds none only where no path, request, socket or limit is wider", () => {
    const pair = three.map(({ a, b, c, paths }) => ({
      candidates: [
        b,
        narrow(b, c),
        { ...narrow(a, b), limits: b.limits },
        { ...narrow(a, b), unixSockets: b.unixSockets },
        patternless(narrow(a, b)),
      ],
      base: a,
      paths,
    }));
    fc.assert(
      fc.property(pair, ({ candidates, base, paths }) => {
        for (const { limits, ...rest } of candidates) {
          const candidate: BoundProfile = { ...rest, ...(limits && { limits }) };
          if (firstWidening(candidate, base) === undefined) expectWithin(candidate, base, paths);
        }
      }),
      campaign(2000),
    );
  });

  it("names a path on which the candidate does allow more", () => {
    fc.assert(
      fc.property(three, ({ a, b }) => {
        const found = firstWidening(a, b);
        if (found?.what !== "path") return;
        // A pattern hides what is there, and not what is made where the entries let it be made.
        const asked = [a, patternless(a)].map((one) => accessTo(one, found.path));
        expect(asked).toContain(found.asked);
        expect(OPENNESS[found.asked]).toBeGreaterThan(OPENNESS[accessTo(b, found.path)]);
      }),
      campaign(2000),
    );
  });
});

function patternless(bound: BoundProfile): BoundProfile {
  if (bound.files.type === "unrestricted") return bound;
  return { ...bound, files: { ...bound.files, globs: [] } };
}

function expectWithin(inner: BoundProfile, outer: BoundProfile, paths: readonly AbsolutePath[]) {
  expect(reach(inner)).toBeLessThanOrEqual(reach(outer));
  const widerPaths = paths.filter(
    (path) => OPENNESS[accessTo(inner, path)] > OPENNESS[accessTo(outer, path)],
  );
  expect(widerPaths).toEqual([]);
  const widerRequests = requests.filter(
    (request) => letsThrough(inner.network, request) && !letsThrough(outer.network, request),
  );
  expect(widerRequests).toEqual([]);
  for (const name of ["wallTimeMs", "memoryBytes", "processes", "openFiles"] as const) {
    const most = outer.limits?.[name] ?? Number.POSITIVE_INFINITY;
    expect(inner.limits?.[name] ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(most);
  }
}
