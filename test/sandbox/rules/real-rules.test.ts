import { describe, expect, it } from "vitest";
import { accessTo, parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { realRules } from "../../../src/sandbox/rules/real-rules.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const OWN = { hidden: [at("/home/user/.writ")], readOnly: [] };
const REFUSED = expect.objectContaining({ code: "unprotectablePath" });

/** `/srv/alias` leads to `/srv/s/key`, `/srv/plain` to `/srv/open`, `/srv/home` to writ's own. */
const DISK = fileTree(
  "/srv/s/key",
  "/srv/open",
  "/home/user/.writ/token",
  "/r/",
  ["/srv/alias", "s/key"],
  ["/srv/plain", "open"],
  ["/srv/home", "/home/user/.writ"],
  ["/lib", "srv"],
);

function accessUnder(path: string, ...rules: Rule[]): string {
  return accessTo(realRules(boundWith([[":root", "read"], ...rules]), DISK, OWN).profile, at(path));
}

describe("a grant that is a link", () => {
  it.each(["read", "write"])(
    "is refused with %s where it leads to what another rule denies",
    (access) => {
      const rules: Rule[] = [
        ["/srv/s", "deny"],
        ["/srv/alias", access],
      ];
      expect(() => accessUnder("/srv/s/key", ...rules)).toThrow(REFUSED);
      expect(() => accessUnder("/srv/s/key", ...rules)).toThrow(/"\/srv\/alias".*"\/srv\/s\/key"/);
    },
  );

  it("holds where what it leads to is open, or opened by its own name as well", () => {
    expect(accessUnder("/srv/open", ["/srv/s", "deny"], ["/srv/plain", "write"])).toBe("write");
    const named: Rule[] = [
      ["/srv/s", "deny"],
      ["/srv/s/key", "read"],
      ["/srv/alias", "read"],
    ];
    expect(accessUnder("/srv/s/key", ...named)).toBe("read");
  });

  it.each(["read", "write"])(
    "is refused with %s in a folder where everybody may put one",
    (access) => {
      const shared = { ...DISK, isOpenToAll: (folder: string) => folder === "/srv" };
      const under = (...rules: Rule[]) =>
        realRules(boundWith([[":root", "read"], ...rules]), shared, OWN);
      expect(() => under(["/lib/plain", access])).toThrow(
        /"\/srv\/plain" to "open", and everybody/,
      );
      // What is denied by its name stays so, and what lies beside a link is no link.
      expect(() => under(["/srv/plain", "deny"], ["/srv/open", access])).not.toThrow();
      expect(() => under(["/lib/open", access])).not.toThrow();
    },
  );

  it("is refused where it lies in the denied folder itself and leads elsewhere in it", () => {
    const rules: Rule[] = [
      ["/srv", "deny"],
      ["/srv/alias", "read"],
    ];
    expect(() => accessUnder("/srv/s/key", ...rules)).toThrow(REFUSED);
  });

  it("holds where the denial names the same place through the same link", () => {
    const rules: Rule[] = [
      ["/lib/s", "deny"],
      ["/lib/s/key", "read"],
    ];
    expect(accessUnder("/srv/s/key", ...rules)).toBe("read");
    expect(accessUnder("/srv/s", ...rules)).toBe("deny");
  });
});

describe("a grant inside what is writ's own and hidden", () => {
  it.each(["/home/user/.writ/token", "/srv/home/token"])("is refused to be read as %s", (path) => {
    expect(() => accessUnder(path, [path, "read"])).toThrow(REFUSED);
  });

  it("is no matter where the whole folder is named, which stays hidden", () => {
    expect(accessUnder("/home/user/.writ/token", ["/home/user/.writ", "read"])).toBe("deny");
  });
});

describe("the folder that .git points to", () => {
  it.each([
    ["a protected name", [[":workspace_roots", "write"]]],
    [
      "an entry that reads it",
      [
        [":workspace_roots", "write"],
        ["/r/.git", "read"],
      ],
    ],
    [
      "an entry that denies it",
      [
        [":workspace_roots", "write"],
        ["/r/.git", "deny"],
      ],
    ],
  ] as const)("is read-only where .git is closed by %s", (_, rules) => {
    expect(gitAccess(rules)).toBe("read");
  });

  it("stays closed where .git alone was opened by name, and is open where it was itself", () => {
    const rules: Rule[] = [
      [":workspace_roots", "write"],
      ["/r/.git", "write"],
    ];
    expect(gitAccess(rules)).toBe("read");
    expect(gitAccess([...rules, ["/r/real", "write"]])).toBe("write");
  });

  function gitAccess(rules: readonly Rule[]): string {
    const disk = { ...fileTree("/r/.git", "/r/real/"), textAt: pointer };
    const { profile } = realRules(boundWith(rules), disk, OWN);
    return accessTo(profile, at("/r/real/hooks"));
  }

  function pointer(path: string): string {
    return path === "/r/.git" ? "gitdir: real\n" : "";
  }
});
