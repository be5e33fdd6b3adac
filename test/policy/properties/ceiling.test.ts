import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  bindProfile,
  type Ceiling,
  canSet,
  type Entry,
  type HostRoots,
  modeOfProfile,
  PROTECTED_NAMES,
  type ProfileMode,
  profileOfPolicy,
  readCeiling,
  underCeiling,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { absolutePath, anyProfile, bindableEntry, hostRoots, questions } from "./arbitraries.ts";
import { naiveAccess } from "./naive-access.ts";
import { sandboxPolicy } from "./spelling-arbitraries.ts";

vi.setConfig({ testTimeout: 60_000 });

const MODES = ["read-only", "workspace-write", "danger-full-access", "external-sandbox"] as const;

const denies: fc.Arbitrary<Entry[]> = fc.array(
  bindableEntry.map((entry) => ({ ...entry, access: "deny" }) as Entry),
  { maxLength: 4 },
);

const ceiling: fc.Arbitrary<Ceiling> = fc
  .record({ denies, modes: fc.option(fc.subarray([...MODES]), { nil: undefined }) })
  .map(({ denies: forced, modes }) => ({
    source: "/etc/requirements",
    denies: forced,
    ...(modes && { allowedModes: modes }),
  }));

describe("underCeiling", () => {
  const asked = fc
    .tuple(anyProfile, ceiling, hostRoots)
    .map(([profile, over, host]) => {
      const bound = bindProfile(profile, host);
      return { bound, over, host, under: underCeiling(bound, over, host) };
    })
    .chain((one) => questions(one.bound, one.under).map((paths) => ({ ...one, paths })));

  it("denies every forced place and all below it, whatever the profile grants", () => {
    fc.assert(
      fc.property(asked, ({ over, host, under, paths }) => {
        const forced = paths.filter(forcedBy(over, host));
        expect(forced.map((path) => [path, accessTo(under, path)])).toEqual(
          forced.map((path) => [path, "deny"]),
        );
      }),
      campaign(3000),
    );
  });

  it("changes nothing else", () => {
    fc.assert(
      fc.property(asked, ({ bound, over, host, under, paths }) => {
        const isForced = forcedBy(over, host);
        const free = paths.filter((path) => !isForced(path));
        expect(free.map((path) => [path, accessTo(under, path)])).toEqual(
          free.map((path) => [path, accessTo(bound, path)]),
        );
        expect([under.network, under.limits ?? {}]).toEqual([bound.network, bound.limits ?? {}]);
        expect(under.unixSockets).toBe(bound.unixSockets);
      }),
      campaign(3000),
    );
  });
});

function forcedBy(over: Ceiling, host: HostRoots): (path: string) => boolean {
  const everything: Entry = { target: { type: "root" }, access: "write" };
  const profile = {
    type: "managed",
    unixSockets: "none",
    fileSystem: { type: "restricted", entries: [everything, ...over.denies] },
    network: { kind: "restricted" },
  } as const;
  const access = naiveAccess(profile, { ...host, protectedNames: [] });
  return (path) => access(path) === "deny";
}

describe("canSet", () => {
  it("allows no profile whose mode is outside the set", () => {
    fc.assert(
      fc.property(anyProfile, ceiling, (profile, over) => {
        const { allowed } = canSet(over, { form: "profile", profile });
        if (allowed) expectWithinModes(over, modeOfProfile(profile));
      }),
      campaign(3000),
    );
  });

  it("allows no policy whose mode is outside the set", () => {
    fc.assert(
      fc.property(sandboxPolicy, ceiling, (policy, over) => {
        const { allowed } = canSet(over, { form: "policy", policy });
        if (allowed) expectWithinModes(over, modeOfProfile(profileOfPolicy(policy)));
      }),
      campaign(2000),
    );
  });

  it("allows no profile to write at the root of the disk unless full access is allowed", () => {
    fc.assert(
      fc.property(anyProfile, ceiling, hostRoots, (profile, over, host) => {
        fc.pre(
          over.allowedModes !== undefined && !over.allowedModes.includes("danger-full-access"),
        );
        if (!canSet(over, { form: "profile", profile }).allowed) return;
        const bound = bindProfile(profile, { ...host, externalSandbox: "absent" });
        expect(accessTo(bound, at("/"))).not.toBe("write");
      }),
      campaign(3000),
    );
  });

  it("allows no profile that leaves forced denies without a sandbox", () => {
    fc.assert(
      fc.property(anyProfile, ceiling, (profile, over) => {
        fc.pre(over.denies.length > 0);
        if (!canSet(over, { form: "profile", profile }).allowed) return;
        expect(["read-only", "workspace-write"]).toContain(modeOfProfile(profile));
      }),
      campaign(2000),
    );
  });
});

/** A write grant on the whole disk counts as full access, so that word may stand for a narrower one. */
function expectWithinModes({ allowedModes = MODES }: Ceiling, mode: ProfileMode): void {
  const counts = mode === "workspace-write" ? [mode, "danger-full-access"] : [mode];
  expect(counts.some((one) => allowedModes.some((allowed) => allowed === one))).toBe(true);
}

describe("a ceiling that was read", () => {
  const folder = fc.constantFrom("/etc/writ", "/etc/a[1]", "/etc/*", "/etc/{a,b}", "/e");
  const name = fc.constantFrom("k.pem", "*.pem", "sub/*.pem", "secret", "a?c");

  it("denies a relative place below its own folder, however that folder is called", () => {
    fc.assert(
      fc.property(folder, name, (place, text) => {
        const over = ceilingOf([text], place);
        const victim = at(`${place}/${text.replace("*", "x").replace("?", "b")}`);
        expect(accessTo(everythingUnder(over), victim)).toBe("deny");
      }),
      campaign(500),
    );
  });

  it.each(["~/.ssh", "~/*.pem", "file:///etc/shadow", ":tmpdir", ":workspace_roots/x"])(
    "refuses %s, which is a place elsewhere and no name in its folder",
    (text) => {
      expect(() => ceilingOf([text], "/etc/writ")).toThrow("Cannot");
    },
  );

  it("denies every absolute place it names", () => {
    fc.assert(
      fc.property(absolutePath, (path) => {
        fc.pre(path !== "/");
        expect(accessTo(everythingUnder(ceilingOf([path], "/etc/writ")), path)).toBe("deny");
      }),
      campaign(500),
    );
  });
});

const HOST: HostRoots = {
  system: "linux",
  cwd: at("/w"),
  workspaceRoots: [at("/w")],
  tmpdir: undefined,
  slashTmp: undefined,
  platformDefaults: [at("/usr")],
  protectedNames: PROTECTED_NAMES,
  externalSandbox: "absent",
};

function ceilingOf(deny: readonly string[], folder: string): Ceiling {
  const table = { permissions: { filesystem: { deny_read: deny } } };
  return readCeiling(table, { source: "/etc/writ/x", hostname: "h", folder, profiles: [] });
}

function everythingUnder(over: Ceiling) {
  return underCeiling(bindProfile({ type: "disabled" }, HOST), over, HOST);
}
