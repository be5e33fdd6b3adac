import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type AbsolutePath,
  type Access,
  accessTo,
  bindProfile,
  explain,
  type Grant,
  type GrantedPath,
  grantTo,
  type HostRoots,
  hostPathOfUri,
  isWithin,
  type PermissionProfile,
  profileDigest,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { absolutePath, hostRoots, managedProfile, questions } from "../properties/arbitraries.ts";

vi.setConfig({ testTimeout: 60_000 });

const OPENNESS: Readonly<Record<Access, number>> = { deny: 0, read: 1, write: 2 };

const grantedPath: fc.Arbitrary<GrantedPath> = fc
  .tuple(absolutePath, fc.constantFrom("read" as const, "write" as const))
  .map(([path, access]) => ({ path: uriOfNative(path), access }));
const grant: fc.Arbitrary<Grant> = fc.record({
  network: fc.boolean(),
  files: fc.array(grantedPath, { maxLength: 5 }),
});
const ROOT: Grant = { network: true, files: [{ path: uriOfNative("/"), access: "write" }] };

interface Case {
  readonly profile: PermissionProfile;
  readonly host: HostRoots;
  readonly asked: Grant;
  readonly given: Grant;
  readonly paths: readonly AbsolutePath[];
}

/** Everything is sometimes given, so that what limits it is the rest. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    profile: managedProfile,
    host: hostRoots,
    asked: fc.oneof({ weight: 4, arbitrary: grant }, { weight: 1, arbitrary: fc.constant(ROOT) }),
    given: fc.oneof(grant, fc.constant(ROOT)),
  })
  .chain((one) => {
    const named = [...one.asked.files, ...one.given.files].map(({ path }) => pathOf(path));
    return questions(bindProfile(one.profile, one.host)).map((paths) => ({
      ...one,
      paths: [...paths, ...named, ...named.map((path) => `${path}/a` as AbsolutePath)],
    }));
  });

const pathOf = (uri: GrantedPath["path"]) => hostPathOfUri(uri, "linux");

/** What a grant alone says of a path. */
function reachOf({ files }: Grant, path: AbsolutePath): number {
  const over = files.filter((one) => isWithin(path, pathOf(one.path)));
  return Math.max(0, ...over.map(({ access }) => OPENNESS[access]));
}

function widen({ profile, host, asked, given }: Case) {
  const bind = (one: PermissionProfile) => bindProfile(one, host);
  const result = grantTo(profile, { asked, given }, { bind, system: "linux", ceilings: [] });
  return { ...result, before: bind(profile), after: bind(result.profile) };
}

describe("a policy with a grant", () => {
  it("allows nothing more than was both asked for and given", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { before, after } = widen(one);
        for (const path of one.paths) {
          const now = OPENNESS[accessTo(after, path)];
          if (now <= OPENNESS[accessTo(before, path)]) continue;
          expect(now).toBeLessThanOrEqual(reachOf(one.asked, path));
          expect(now).toBeLessThanOrEqual(reachOf(one.given, path));
        }
        if (before.network.kind === after.network.kind) return;
        expect([one.asked.network, one.given.network]).toEqual([true, true]);
        expect(before.network.kind).toBe("restricted");
      }),
      campaign(1000),
    );
  });

  it("denies whatever a rule denied before, and takes nothing away", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { before, after } = widen(one);
        for (const path of one.paths) {
          const was = explain(before, path);
          const now = accessTo(after, path);
          if (was.access === "deny" && was.rule !== "no entry") expect(now).toBe("deny");
          expect(OPENNESS[now]).toBeGreaterThanOrEqual(OPENNESS[was.access]);
        }
      }),
      campaign(1000),
    );
  });

  it("is the same once more, and all that it says was granted is there", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { profile, granted, after } = widen(one);
        const again = widen({ ...one, profile });
        expect(again.granted).toEqual({ network: false, files: [] });
        expect(profileDigest(again.profile)).toBe(profileDigest(profile));
        for (const { path, access } of granted.files) {
          expect(OPENNESS[accessTo(after, pathOf(path))]).toBeGreaterThanOrEqual(OPENNESS[access]);
        }
      }),
      campaign(1000),
    );
  });

  it("is the policy itself where nothing was given, or nothing asked for", () => {
    const nothing: Grant = { network: false, files: [] };
    fc.assert(
      fc.property(cases, (one) => {
        expect(widen({ ...one, given: nothing }).profile).toBe(one.profile);
        expect(widen({ ...one, asked: nothing }).profile).toBe(one.profile);
      }),
      campaign(200),
    );
  });
});
