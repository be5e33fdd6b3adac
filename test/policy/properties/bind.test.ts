import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type AbsolutePath,
  accessTo,
  parseAbsolutePath as at,
  type BoundProfile,
  bindProfile,
  type Entry,
  type HostRoots,
  type PermissionProfile,
  PolicyError,
  preserveDenies,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import {
  bindableEntry,
  hostRoots,
  managedProfile,
  questions,
  unknownEntry,
} from "./arbitraries.ts";
import { covers, naiveAccess } from "./naive-access.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Hosts where any symbol may have no place, or be the whole disk. */
const poorHost: fc.Arbitrary<HostRoots> = fc
  .tuple(
    hostRoots,
    fc.record(
      {
        workspaceRoots: fc.constantFrom([], [at("/")], [at("/a"), at("/")]),
        tmpdir: fc.constantFrom(undefined, at("/")),
        slashTmp: fc.constant(undefined),
        platformDefaults: fc.constant([]),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([host, poor]) => ({ ...host, ...poor }));

const entries = fc.array(fc.oneof({ weight: 8, arbitrary: bindableEntry }, unknownEntry), {
  maxLength: 6,
});

function managed(list: readonly Entry[]): PermissionProfile {
  return {
    type: "managed",
    unixSockets: "none",
    fileSystem: { type: "restricted", entries: list },
    network: { kind: "restricted" },
  };
}

function boundOrRefused(profile: PermissionProfile, host: HostRoots): BoundProfile | undefined {
  try {
    return bindProfile(profile, host);
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyError);
    return undefined;
  }
}

/** Where an entry alone puts its rule; a deny by pattern has no place of its own. */
function placesOf(entry: Entry, host: HostRoots): AbsolutePath[] {
  const { files } = bindProfile(managed([entry]), host);
  return files.type === "restricted" ? files.entries.map(({ path }) => path) : [];
}

function isReopened(bound: BoundProfile, place: string, path: string): boolean {
  if (bound.files.type === "unrestricted") return true;
  return bound.files.entries.some(
    (one) =>
      one.path !== place &&
      one.access !== "deny" &&
      covers(place, one.path) &&
      covers(one.path, path),
  );
}

describe("binding", () => {
  it("refuses, or keeps every deny but where a more specific entry reopens it", () => {
    const asked = fc
      .tuple(entries, poorHost)
      .map(([list, host]) => ({ list, host, bound: boundOrRefused(managed(list), host) }))
      .filter(({ bound }) => bound !== undefined)
      .chain((one) =>
        questions(...(one.bound ? [one.bound] : [])).map((paths) => ({ ...one, paths })),
      );
    fc.assert(
      fc.property(asked, ({ list, host, bound, paths }) => {
        if (bound === undefined) return;
        for (const entry of list.filter(({ access }) => access === "deny")) {
          const places = placesOf(entry, host);
          expect(places.length > 0 || entry.target.type === "glob").toBe(true);
          for (const place of places) expectDenied(bound, place, [place, ...paths]);
        }
      }),
      campaign(3000),
    );
  });

  it("refuses, or answers as the linear scan does, on a host that lacks symbols", () => {
    const asked = fc
      .tuple(entries, poorHost)
      .map(([list, host]) => ({ list, host, bound: boundOrRefused(managed(list), host) }))
      .filter(({ bound }) => bound !== undefined)
      .chain((one) =>
        questions(...(one.bound ? [one.bound] : [])).map((paths) => ({ ...one, paths })),
      );
    fc.assert(
      fc.property(asked, ({ list, host, bound, paths }) => {
        if (bound === undefined) return;
        const naive = naiveAccess(managed(list), host);
        expect(paths.map((path) => [path, accessTo(bound, path)])).toEqual(
          paths.map((path) => [path, naive(path)]),
        );
      }),
      campaign(2000),
    );
  });

  it("lets no symbol open the whole disk for writing", () => {
    fc.assert(
      fc.property(entries, poorHost, (list, host) => {
        const saysSo = list.some(
          ({ target, access }) =>
            access === "write" &&
            (target.type === "root" || (target.type === "path" && target.path === "file:///")),
        );
        fc.pre(!saysSo);
        const bound = boundOrRefused(managed(list), host);
        if (bound !== undefined) expect(accessTo(bound, at("/"))).not.toBe("write");
      }),
      campaign(2000),
    );
  });

  it("keeps a read-only place below a writable one, or refuses where it cannot be placed", () => {
    fc.assert(
      fc.property(unknownEntry, hostRoots, (unknown, host) => {
        const narrowing = { ...unknown, access: "read" } as Entry;
        const list: Entry[] = [{ target: { type: "root" }, access: "write" }, narrowing];
        expect(boundOrRefused(managed(list), host)).toBeUndefined();
      }),
      campaign(100),
    );
  });
});

function expectDenied(bound: BoundProfile, place: AbsolutePath, paths: readonly AbsolutePath[]) {
  for (const path of paths) {
    if (!covers(place, path) || isReopened(bound, place, path)) continue;
    expect([path, accessTo(bound, path)]).toEqual([path, "deny"]);
  }
}

/** What holds after an override; nothing for one that is refused because it would lift a deny. */
function overridden(current: PermissionProfile, next: PermissionProfile, host: HostRoots) {
  try {
    return bindProfile(preserveDenies(current, next, { mayDropDenies: false }), host);
  } catch (error) {
    if (error instanceof PolicyError && error.code === "widens") return undefined;
    throw error;
  }
}

const override = fc
  .tuple(
    managedProfile,
    fc.oneof(managedProfile, fc.constant<PermissionProfile>({ type: "disabled" })),
    hostRoots,
  )
  .map(([current, next, host]) => ({ current, next, host, bound: overridden(current, next, host) }))
  .filter((one): one is typeof one & { bound: BoundProfile } => one.bound !== undefined)
  .chain((one) => questions(one.bound).map((paths) => ({ ...one, paths })));

describe("preserveDenies", () => {
  it("denies every place that the current profile denies by name", () => {
    fc.assert(
      fc.property(override, ({ current, host, bound, paths }) => {
        const denies = deniesOf(current).flatMap((entry) => placesOf(entry, host));
        for (const place of denies)
          expect([place, accessTo(bound, place)]).toEqual([place, "deny"]);
        const matched = paths.filter(matchedBy(current, host));
        expect(matched.map((path) => [path, accessTo(bound, path)])).toEqual(
          matched.map((path) => [path, "deny"]),
        );
      }),
      campaign(2000),
    );
  });

  it("leaves a denied place open only where the current profile does", () => {
    fc.assert(
      fc.property(override, ({ current, host, bound, paths }) => {
        const denies = deniesOf(current).flatMap((entry) => placesOf(entry, host));
        for (const place of denies) expectDenied(bound, place, paths);
      }),
      campaign(2000),
    );
  });

  it("grants nothing that the next profile does not", () => {
    fc.assert(
      fc.property(override, ({ next, host, bound, paths }) => {
        const sockets = ["none", "private", "host"];
        const granted = bindProfile(next, host);
        const mostSockets = sockets.indexOf(granted.unixSockets);
        expect(sockets.indexOf(bound.unixSockets)).toBeLessThanOrEqual(mostSockets);
        const openness = { deny: 0, read: 1, write: 2 };
        const wider = paths.filter(
          (path) => openness[accessTo(bound, path)] > openness[accessTo(granted, path)],
        );
        expect(wider).toEqual([]);
      }),
      campaign(2000),
    );
  });
});

function deniesOf(profile: PermissionProfile): Entry[] {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return [];
  return profile.fileSystem.entries.filter(({ access }) => access === "deny");
}

/** Whether a pattern of the profile denies a path. */
function matchedBy(profile: PermissionProfile, host: HostRoots): (path: string) => boolean {
  const patterns = deniesOf(profile).filter(({ target }) => target.type === "glob");
  const everything: Entry = { target: { type: "root" }, access: "write" };
  const profileOfPatterns = managed([everything, ...patterns]);
  const access = naiveAccess(profileOfPatterns, { ...host, protectedNames: [] });
  return (path) => access(path) === "deny";
}
