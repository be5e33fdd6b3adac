import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type Access,
  accessTo,
  bindProfile,
  boundDigest,
  type Entry,
  type PermissionProfile,
  profileDigest,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import {
  anyProfile,
  bindableEntry,
  hostRoots,
  networkRules,
  questions,
  unixSockets,
} from "./arbitraries.ts";
import { letsThrough, requests } from "./naive-network.ts";

vi.setConfig({ testTimeout: 60_000 });

function entriesOf(profile: PermissionProfile): readonly Entry[] {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return [];
  return profile.fileSystem.entries;
}

function withEntries(profile: PermissionProfile, entries: readonly Entry[]): PermissionProfile {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return profile;
  return { ...profile, fileSystem: { ...profile.fileSystem, entries } };
}

const flip: Readonly<Record<Access, Access>> = { read: "write", write: "deny", deny: "read" };

/** A profile and a neighbour of it: one entry added, dropped, flipped, doubled or moved. */
const neighbours = fc
  .record({
    profile: anyProfile,
    extra: bindableEntry,
    at: fc.nat(7),
    change: fc.constantFrom("add", "drop", "flip", "double", "rotate"),
  })
  .map(({ profile, extra, at, change }) => {
    const entries = entriesOf(profile);
    const index = entries.length === 0 ? 0 : at % entries.length;
    const one = entries[index];
    return {
      profile,
      change,
      other: withEntries(profile, changed(change, { entries, extra, index, one })),
    };
  });

interface Change {
  readonly entries: readonly Entry[];
  readonly extra: Entry;
  readonly index: number;
  readonly one: Entry | undefined;
}

function changed(change: string, { entries, extra, index, one }: Change): readonly Entry[] {
  if (change === "add") return [...entries, extra];
  if (one === undefined) return entries;
  if (change === "drop") return entries.toSpliced(index, 1);
  if (change === "double") return [...entries, one];
  if (change === "rotate") return [...entries.slice(index), ...entries.slice(0, index)];
  if (change === "flip" && one.target.type !== "glob" && one.target.type !== "minimal") {
    return entries.with(index, { ...one, access: flip[one.access] } as Entry);
  }
  return entries;
}

describe("a digest", () => {
  it("of a symbolic profile does not change with order and repetition", () => {
    fc.assert(
      fc.property(neighbours, ({ profile, other, change }) => {
        fc.pre(change === "double" || change === "rotate");
        expect(profileDigest(other)).toBe(profileDigest(profile));
      }),
      campaign(3000),
    );
  });

  it("of a bound profile does not change with order and repetition", () => {
    fc.assert(
      fc.property(neighbours, hostRoots, ({ profile, other, change }, host) => {
        fc.pre(change === "double" || change === "rotate");
        expect(boundDigest(bindProfile(other, host))).toBe(boundDigest(bindProfile(profile, host)));
      }),
      campaign(3000),
    );
  });

  it("is one only for profiles that allow the same, here and symbolically", () => {
    const asked = fc
      .tuple(neighbours, hostRoots)
      .map(([{ profile, other }, host]) => ({
        digests: [profile, other].map(profileDigest),
        bound: [profile, other].map((one) => bindProfile(one, host)),
      }))
      .chain(({ digests, bound }) =>
        questions(...bound).map((paths) => ({ digests, bound, paths })),
      );
    fc.assert(
      fc.property(asked, ({ digests, bound, paths }) => {
        const answers = bound.map((one) => paths.map((path) => accessTo(one, path)).join());
        if (answers[0] === answers[1]) return;
        expect(digests[0]).not.toBe(digests[1]);
        const names = bound.map(boundDigest);
        expect(names[0]).not.toBe(names[1]);
      }),
      campaign(4000),
    );
  });

  it("is another where the network, the unix sockets or a limit is another", () => {
    fc.assert(
      fc.property(anyProfile, anyProfile, hostRoots, (a, b, host) => {
        const bound = [a, b].map((one) => bindProfile(one, host));
        const said = bound.map(({ network, unixSockets, limits = {} }) =>
          JSON.stringify([
            unixSockets,
            requests.map((one) => letsThrough(network, one)),
            Object.entries(limits).sort(),
          ]),
        );
        if (said[0] === said[1]) return;
        expect(profileDigest(a)).not.toBe(profileDigest(b));
        const names = bound.map(boundDigest);
        expect(names[0]).not.toBe(names[1]);
      }),
      campaign(2000),
    );
  });

  it("is another where only the unix sockets are another", () => {
    fc.assert(
      fc.property(anyProfile, unixSockets, hostRoots, (profile, word, host) => {
        fc.pre(profile.type !== "disabled" && profile.unixSockets !== word);
        const pair = [profile, { ...profile, unixSockets: word }];
        expect(new Set(pair.map(profileDigest)).size).toBe(2);
        expect(new Set(pair.map((one) => boundDigest(bindProfile(one, host)))).size).toBe(2);
      }),
      campaign(1000),
    );
  });

  it("is another where one member of the network rules is another", () => {
    const key = fc.constantFrom("mode", "ports", "domains", "unixSockets", "allowLocalBinding");
    fc.assert(
      fc.property(networkRules, networkRules, key, hostRoots, (rules, other, one, host) => {
        const pair = [rules, { ...rules, [one]: Reflect.get(other, one) }].map(
          (given): PermissionProfile => ({
            type: "external",
            unixSockets: "none",
            network: { kind: "ruled", rules: given },
          }),
        );
        const bound = pair.map((profile) => bindProfile(profile, host));
        const said = bound.map(({ network }) => requests.map((ask) => letsThrough(network, ask)));
        if (JSON.stringify(said[0]) === JSON.stringify(said[1])) return;
        expect(new Set(pair.map(profileDigest)).size).toBe(2);
        expect(new Set(bound.map(boundDigest)).size).toBe(2);
      }),
      campaign(2000),
    );
  });

  it("survives a change of member order", () => {
    fc.assert(
      fc.property(anyProfile, (profile) => {
        expect(profileDigest(reversed(profile))).toBe(profileDigest(profile));
      }),
      campaign(1000),
    );
  });
});

function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, inner]) => [key, reversed(inner)]);
  return Object.fromEntries(members.toReversed());
}
