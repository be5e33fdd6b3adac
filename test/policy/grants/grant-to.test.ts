import { describe, expect, it } from "vitest";
import {
  accessTo,
  bindProfile,
  type Ceiling,
  type Grant,
  type GrantBounds,
  grantTo,
  type PermissionProfile,
  PolicyError,
  parseAbsolutePath,
  parsePathUri,
  profileDigest,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { HOST, profileWith, type Rule } from "../support/profiles.ts";

const BOUNDS: GrantBounds = {
  bind: (profile) => bindProfile(profile, HOST),
  system: "linux",
  ceilings: [],
};

/** `read /a`, `write /b`, `network`. */
function grantOf(...words: readonly string[]): Grant {
  return {
    network: words.includes("network"),
    files: words
      .filter((one) => one !== "network")
      .map((one) => {
        const [access = "", path = ""] = one.split(" ");
        return { path: uriOfNative(path), access: access === "write" ? "write" : "read" };
      }),
  };
}

const accessIn = (profile: PermissionProfile, path: string) =>
  accessTo(bindProfile(profile, HOST), parseAbsolutePath(path));

const wordsOf = ({ network, files }: Grant) => [
  ...files.map(({ path, access }) => `${access} ${path.slice("file://".length)}`),
  ...(network ? ["network"] : []),
];

const READER: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];

function granted(
  rules: readonly Rule[],
  asked: readonly string[],
  given: readonly string[] = asked,
) {
  const profile = profileWith(rules);
  return grantTo(profile, { asked: grantOf(...asked), given: grantOf(...given) }, BOUNDS);
}

describe("grantTo", () => {
  it.each([
    ["the same", ["write /data"], ["write /data"], ["write /data"]],
    ["a place inside", ["write /data"], ["write /data/in"], ["write /data/in"]],
    ["a place around it", ["write /data"], ["write /"], ["write /data"]],
    ["another place", ["write /ws2"], ["write /etc"], []],
    ["a place with the same beginning", ["write /data"], ["write /database"], []],
    ["more access than was asked for", ["read /data"], ["write /data"], []],
    ["less access than was asked for", ["write /data"], ["read /data"], []],
    ["nothing", ["write /data", "network"], [], []],
    ["the network alone", ["write /data", "network"], ["network"], ["network"]],
    ["a network nobody asked for", ["write /data"], ["write /data", "network"], ["write /data"]],
  ])("N08 gives what was both asked for and given: %s", (_, asked, given, expected) => {
    expect(wordsOf(granted(READER, asked, given).granted)).toEqual(expected);
  });

  it("gives reading where nothing was readable", () => {
    const { profile, granted: given } = granted(
      [["/r", "read"]],
      ["read /x", "write /x"],
      ["read /x"],
    );
    expect(wordsOf(given)).toEqual(["read /x"]);
    expect([accessIn(profile, "/x/y"), accessIn(profile, "/y")]).toEqual(["read", "deny"]);
  });

  it("weighs a place once, however often it is said", () => {
    const many = (count: number) => grantOf(...Array(count).fill("write /srv/data"));
    let looks = 0;
    const bind: GrantBounds["bind"] = (profile) => {
      looks += 1;
      return BOUNDS.bind(profile);
    };
    const asked = { asked: many(64), given: many(256) };
    const { granted } = grantTo(profileWith(READER), asked, { ...BOUNDS, bind });
    expect(wordsOf(granted)).toEqual(["write /srv/data"]);
    expect(looks).toBeLessThan(4);
  });

  it("leaves the policy as it is, under the same name, where nothing is given", () => {
    const profile = profileWith(READER);
    const same = grantTo(profile, { asked: grantOf("write /x"), given: grantOf() }, BOUNDS);
    expect(same.profile).toBe(profile);
    const other = grantTo(
      profile,
      { asked: grantOf("write /x"), given: grantOf("write /x") },
      BOUNDS,
    );
    expect(profileDigest(other.profile)).not.toBe(profileDigest(profile));
  });

  it.each<[string, Rule, string]>([
    ["a path", ["/x/secret", "deny"], "/x/secret"],
    ["a path above", ["/x", "deny"], "/x/secret"],
    ["the whole disk", [":root", "deny"], "/x/secret"],
    ["a symbol", [":workspace_roots/docs", "deny"], "/r/docs/a"],
    ["the folder for temporary files", [":tmpdir", "deny"], "/scratch/a"],
    ["a pattern", ["glob:/x/**/*.env", "deny"], "/x/a/k.env"],
  ])("refuses to open what is denied by %s", (_, rule, path) => {
    const result = granted([rule], [`write ${path}`]);
    expect(wordsOf(result.granted)).toEqual([]);
    expect(result.kept).toEqual([{ what: path, rule: expect.stringContaining('= "deny"') }]);
    expect(accessIn(result.profile, path)).toBe("deny");
  });

  it("keeps a deny below what is granted, also one that is given by name", () => {
    const rules: readonly Rule[] = [...READER, ["/x/secret", "deny"], ["glob:/x/**/*.env", "deny"]];
    const { profile } = granted(rules, ["write /x"], ["write /x", "write /x/secret/in"]);
    expect(
      ["/x/a", "/x/secret", "/x/secret/in", "/x/a/k.env"].map((one) => accessIn(profile, one)),
    ).toEqual(["write", "deny", "deny", "deny"]);
  });

  it("takes nothing away: reading that is asked for inside what can be written stays writing", () => {
    const { profile, granted: given } = granted(READER, ["read /r/a", "read /x/b", "write /x"]);
    expect(wordsOf(given)).toEqual(["write /x"]);
    expect(["/r/a/f", "/x/b/f"].map((one) => accessIn(profile, one))).toEqual(["write", "write"]);
  });

  it("gives all of a place, whatever less was asked for inside it and in which order", () => {
    const { profile } = granted([["/r", "read"]], ["read /x/b", "read /x", "write /x"]);
    expect(accessIn(profile, "/x/b/f")).toBe("write");
  });

  it("keeps what stays read-only below, and names that are protected in what it opens", () => {
    const { profile } = granted([...READER, ["/x/fixed", "read"]], ["write /x"]);
    expect(["/x/fixed/a", "/x/.git/hooks", "/x/a"].map((one) => accessIn(profile, one))).toEqual([
      "read",
      "read",
      "write",
    ]);
  });

  it("keeps rules for destinations, and says so", () => {
    const rules = { kind: "ruled", rules: { domains: {} } } as never;
    const profile = { ...profileWith(READER), network: rules } as PermissionProfile;
    const result = grantTo(
      profile,
      { asked: grantOf("network"), given: grantOf("network") },
      BOUNDS,
    );
    expect(result).toMatchObject({ profile, granted: { network: false } });
    expect(result.kept).toEqual([{ what: "the network", rule: "rules for destinations" }]);
  });

  it.each<PermissionProfile>([
    { type: "disabled" },
    { type: "external", network: { kind: "restricted" }, unixSockets: "none" },
  ])("refuses a policy that is not enforced here: $type", (profile) => {
    const all = { asked: grantOf("network"), given: grantOf("network") };
    expect(() => grantTo(profile, all, BOUNDS)).toThrow(PolicyError);
  });

  it.each(["file:///C:/windows", "file://server/share", "file:///%00/bad/path/AAAA"])(
    "refuses a place that is none here: %s",
    (uri) => {
      const grant: Grant = { network: false, files: [{ path: parsePathUri(uri), access: "read" }] };
      expect(() => grantTo(profileWith(READER), { asked: grant, given: grant }, BOUNDS)).toThrow(
        expect.objectContaining({ code: "unbindable" }),
      );
    },
  );

  it("refuses what the host refuses, whatever the rules say", () => {
    const bind: GrantBounds["bind"] = (profile) => {
      if (profile.type !== "disabled" && profile.network.kind !== "restricted") {
        throw new Error("no network here");
      }
      return bindProfile(profile, HOST);
    };
    const all = { asked: grantOf("network"), given: grantOf("network") };
    expect(() => grantTo(profileWith(READER), all, { ...BOUNDS, bind })).toThrow("no network here");
  });
});

describe("grantTo under a ceiling", () => {
  const ceiling = (members: Partial<Ceiling>): Ceiling => ({
    source: "/etc/top",
    denies: [],
    ...members,
  });
  const under = (one: Ceiling, rules: readonly Rule[], words: readonly string[]) => () =>
    grantTo(
      profileWith(rules),
      { asked: grantOf(...words), given: grantOf(...words) },
      { ...BOUNDS, ceilings: [ceiling({}), one] },
    );
  const deny = {
    target: { type: "path", path: uriOfNative(parseAbsolutePath("/x/secret")) },
    access: "deny",
  } as const;

  it.each([
    ["a mode", ceiling({ allowedModes: ["read-only"] }), [":root", "read"], "write /x"],
    [
      "full access",
      ceiling({ allowedModes: ["read-only", "workspace-write"] }),
      [":root", "read"],
      "write /",
    ],
    [
      "a list of profiles",
      ceiling({ allowedProfiles: { ":read-only": true } }),
      [":root", "read"],
      "write /x",
    ],
    ["a deny", ceiling({ denies: [deny] }), ["/r", "read"], "write /x/secret/in"],
  ] as const)("refuses what is over it: %s", (_, one, rule, word) => {
    expect(under(one, [rule], [word])).toThrow(/^Cannot grant more: .*set by \/etc\/top/);
  });

  it("gives what is below it, and asks nothing of it where nothing is given", () => {
    const modes = ceiling({ allowedModes: ["read-only", "workspace-write"] });
    expect(under(modes, READER, ["write /x"])().granted.files).toHaveLength(1);
    const list = ceiling({ allowedProfiles: { ":read-only": true } });
    expect(under(list, READER, ["write /r/a"])().granted.files).toEqual([]);
  });
});
