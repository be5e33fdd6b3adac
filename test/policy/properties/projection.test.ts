import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type AbsolutePath,
  accessTo,
  bindProfile,
  type Entry,
  type HostRoots,
  type PermissionProfile,
  PolicyError,
  PROTECTED_NAMES,
  policyOfProfile,
  profileOfPolicy,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { absolutePath, anyProfile, entryAt, hostRoots, network, questions } from "./arbitraries.ts";
import { sandboxPolicy } from "./spelling-arbitraries.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Entries near what a policy can say, so that many profiles have an exact one. */
function sayable(cwd: AbsolutePath): fc.Arbitrary<Entry> {
  const symbol = (type: string, access: string, more: object = {}) =>
    ({ target: { type, ...more }, access }) as unknown as Entry;
  const skip = (entry: Entry): Entry => ({ ...entry, missing: "skip" });
  const below = { subpath: ".git" };
  return fc.oneof(
    fc.constantFrom(
      symbol("root", "read"),
      symbol("minimal", "read"),
      symbol("workspaceRoots", "write"),
      symbol("workspaceRoots", "read"),
      symbol("tmpdir", "write"),
      symbol("slashTmp", "write"),
      symbol("slashTmp", "read"),
      skip(symbol("workspaceRoots", "read", below)),
      symbol("workspaceRoots", "read", below),
      symbol("workspaceRoots", "write", below),
      entryAt(cwd, "write"),
      skip(entryAt(`${cwd}/.git`, "read")),
      entryAt(`${cwd}/.git`, "write"),
    ),
    fc
      .tuple(absolutePath, fc.constantFrom<"read" | "write">("read", "write"))
      .map(([path, access]) => entryAt(path, access)),
    absolutePath.map((path) => skip(entryAt(`${path}/.git`, "read"))),
  );
}

const near = hostRoots
  .map((host) => ({ ...host, workspaceRoots: [host.cwd], protectedNames: PROTECTED_NAMES }))
  .chain((host) =>
    fc
      .tuple(fc.array(sayable(host.cwd), { maxLength: 6 }), network, anyProfile, fc.boolean())
      .map(([entries, rules, other, useOther]): [PermissionProfile, HostRoots] => [
        useOther
          ? other
          : {
              type: "managed",
              unixSockets: "none",
              fileSystem: { type: "restricted", entries },
              network: rules,
            },
        host,
      ]),
  );

const asked = near
  .map(([profile, host]) => ({ profile, host, bound: bindProfile(profile, host) }))
  .chain((one) => questions(one.bound).map((paths) => ({ ...one, paths })));

describe("policyOfProfile", () => {
  it("says exact only for a policy that allows the same", () => {
    fc.assert(
      fc.property(asked, ({ profile, host, bound, paths }) => {
        const said = projectionOf(profile, host);
        if (said?.kind !== "exact") return;
        const other = bindProfile(profileOfPolicy(said.policy), host);
        expect([other.network, other.limits]).toEqual([bound.network, bound.limits]);
        expect(other.unixSockets).toBe(bound.unixSockets);
        for (const path of paths) {
          expect([path, accessTo(other, path)]).toEqual([path, accessTo(bound, path)]);
        }
      }),
      campaign(5000),
    );
  });

  it("says which words were lost whenever it is not exact", () => {
    fc.assert(
      fc.property(asked, ({ profile, host }) => {
        const said = projectionOf(profile, host);
        if (said?.kind === "lossy") expect(said.lost.length).toBeGreaterThan(0);
      }),
      campaign(1000),
    );
  });

  it("gives a policy back as itself", () => {
    fc.assert(
      fc.property(sandboxPolicy, (policy) => {
        const said = projectionOf(profileOfPolicy(policy), { cwd: "/not/in/any/policy" });
        if (said?.kind !== "exact") return;
        expect(profileOfPolicy(said.policy)).toEqual(profileOfPolicy(policy));
      }),
      campaign(2000),
    );
  });
});

function projectionOf(profile: PermissionProfile, { cwd }: { readonly cwd: string }) {
  try {
    return policyOfProfile(profile, uriOfNative(cwd));
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyError);
    return undefined;
  }
}
