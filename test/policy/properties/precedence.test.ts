import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  accessTo,
  type BoundProfile,
  bindProfile,
  type Entry,
  explain,
  type PermissionProfile,
  PROTECTED_NAMES,
  parseAbsolutePath,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { anyProfile, entryAt, hostRoots, questions } from "./arbitraries.ts";
import { covers, naiveAccess } from "./naive-access.ts";

vi.setConfig({ testTimeout: 60_000 });

const bound = fc
  .tuple(anyProfile, hostRoots)
  .map(([profile, host]) => ({ profile, host, bound: bindProfile(profile, host) }));

const asked = bound.chain((one) => questions(one.bound).map((paths) => ({ ...one, paths })));

function withEntries(
  profile: PermissionProfile,
  change: <T>(entries: readonly T[]) => readonly T[],
): PermissionProfile {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return profile;
  const entries = change(profile.fileSystem.entries);
  return { ...profile, fileSystem: { ...profile.fileSystem, entries } };
}

describe("accessTo", () => {
  it("agrees with a linear scan written from the specification", () => {
    fc.assert(
      fc.property(asked, ({ profile, host, bound: made, paths }) => {
        const naive = naiveAccess(profile, host);
        expect(paths.map((path) => [path, accessTo(made, path)])).toEqual(
          paths.map((path) => [path, naive(path)]),
        );
      }),
      campaign(5000),
    );
  });

  it("does not depend on the order of entries or on repetitions", () => {
    fc.assert(
      fc.property(
        asked,
        fc.infiniteStream(fc.nat()),
        ({ profile, host, bound: made, paths }, dice) => {
          const shuffled = withEntries(profile, (entries) =>
            [...entries, ...entries]
              .map((entry) => ({ entry, at: dice.next().value }))
              .toSorted((x, y) => x.at - y.at)
              .map(({ entry }) => entry),
          );
          const other = bindProfile(shuffled, host);
          expect(paths.map((path) => accessTo(other, path))).toEqual(
            paths.map((path) => accessTo(made, path)),
          );
        },
      ),
      campaign(2000),
    );
  });
});

function rulesOf({ files, enforcement }: BoundProfile): string[] {
  if (files.type === "unrestricted") return [enforcement];
  return [...files.entries.map(({ rule }) => rule), ...files.globs.map(({ rule }) => rule)];
}

describe("two write entries on one place", () => {
  it("hold protected what either of them does, whichever comes first", () => {
    fc.assert(
      fc.property(
        hostRoots,
        fc.boolean(),
        fc.constantFrom("tmpdir", "slashTmp"),
        (host, turn, type) => {
          const place = host[type as "tmpdir" | "slashTmp"] ?? host.cwd;
          const pair = [entryAt(place, "write"), { target: { type }, access: "write" } as Entry];
          const profile: PermissionProfile = {
            type: "managed",
            unixSockets: "none",
            fileSystem: { type: "restricted", entries: turn ? pair.toReversed() : pair },
            network: { kind: "restricted" },
          };
          const made = bindProfile(profile, { ...host, protectedNames: PROTECTED_NAMES });
          for (const { name } of PROTECTED_NAMES) {
            expect(accessTo(made, parseAbsolutePath(`${place}/${name}`))).toBe("read");
          }
        },
      ),
      campaign(500),
    );
  });
});

describe("explain", () => {
  it("agrees with accessTo and names a rule of the profile", () => {
    fc.assert(
      fc.property(asked, ({ bound: made, paths }) => {
        for (const path of paths) {
          const { access, rule, reason } = explain(made, path);
          expect(access).toBe(accessTo(made, path));
          const known = rule === "no entry" ? access === "deny" : rulesOf(made).includes(rule);
          expect(known || rule.startsWith("protected name ")).toBe(true);
          expect(reason).not.toBe("");
        }
      }),
      campaign(1000),
    );
  });

  it("says read, and from where, wherever a protected name decided", () => {
    fc.assert(
      fc.property(asked, ({ bound: made, paths }) => {
        const held = paths.map((path) => explain(made, path)).filter(isProtection);
        for (const { access, reason, path } of held) {
          expect(access).toBe("read");
          expect(writePlaces(made)).toSatisfy((list: string[]) =>
            list.some(
              (place) => reason.startsWith(`"${place}" is writable`) && covers(place, path),
            ),
          );
        }
      }),
      campaign(1000),
    );
  });
});

function isProtection({ rule }: { rule: string }): boolean {
  return rule.startsWith("protected name ");
}

function writePlaces({ files }: BoundProfile): string[] {
  if (files.type === "unrestricted") return [];
  return files.entries.filter(({ access }) => access === "write").map(({ path }) => path);
}
