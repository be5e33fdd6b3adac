import { describe, expect, it } from "vitest";
import type { BoundProfile } from "../../../src/policy/index.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { judgeOf } from "./support/evaluate-sbpl.ts";
import { planFor, policyFor } from "./support/plan-for.ts";

const everything = boundWith([[":root", "write"]]);

function textFor(profile: BoundProfile): string {
  return policyFor(profile).text;
}

describe("what every command gets", () => {
  it("begins by denying everything", () => {
    expect(textFor(everything).split("\n").slice(1, 3)).toEqual(["(version 1)", "(deny default)"]);
  });

  it("is the devices without content, also where nothing can be read", () => {
    const judge = judgeOf(policyFor(boundWith([["/r", "read"]])));
    for (const path of ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/fd/3"]) {
      expect([path, judge({ operation: "file-read-data", path })]).toEqual([path, "allow"]);
    }
    expect(judge({ operation: "file-write-data", path: "/dev/null" })).toBe("allow");
    expect(judge({ operation: "file-write-unlink", path: "/dev/null" })).toBe("deny");
    expect(judge({ operation: "file-read-data", path: "/dev/disk0" })).toBe("deny");
  });

  it.each(["/dev/tty", "/dev/ttys001", "/dev/console", "/dev/cu.modem"])(
    "is not the terminal %s of the user, even where everything is writable",
    (path) => {
      const judge = judgeOf(policyFor(everything));
      expect(judge({ operation: "file-read-data", path })).toBe("deny");
      expect(judge({ operation: "file-write-data", path })).toBe("deny");
    },
  );

  it("is its own terminal where it was given one", () => {
    const [, , text = "", ...rest] = planFor(everything, undefined, { terminal: "pty" }).argv;
    const judge = judgeOf({ text, flags: rest.filter((flag) => flag.startsWith("-D")) });
    expect(judge({ operation: "file-read-data", path: "/dev/tty" })).toBe("allow");
    expect(judge({ operation: "file-read-data", path: "/dev/ttys001" })).toBe("deny");
  });

  it("looks up no service that starts programs, sends events or keeps secrets", () => {
    const online: BoundProfile = {
      ...everything,
      network: { kind: "enabled" },
      unixSockets: "host",
    };
    const text = textFor(online);
    const services = [...text.matchAll(/\((?:global|local)-name "([^"]+)"\)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(services)).toEqual(
      new Set([
        "com.apple.system.opendirectoryd.libinfo",
        "com.apple.SystemConfiguration.DNSConfiguration",
        "com.apple.SystemConfiguration.configd",
        "com.apple.trustd.agent",
        "com.apple.cfprefsd.agent",
        "com.apple.cfprefsd.daemon",
      ]),
    );
    expect(text).not.toMatch(/appleevent|lsopen|mach-lookup\)|mach\*|job-creation|file-link/);
  });

  it("has no address to reach with the network off, not even its own", () => {
    const text = textFor({ ...everything, unixSockets: "none" });
    expect(text).not.toMatch(/network|system-socket/);
    const online = textFor({ ...everything, network: { kind: "enabled" }, unixSockets: "none" });
    expect(online).toContain('(allow network-outbound (remote ip "*:*"))');
    expect(online).not.toContain("unix-socket");
  });

  it("asks for preferences only where everything may be read", () => {
    expect(textFor(everything)).toContain("cfprefsd");
    expect(
      textFor(
        boundWith([
          [":root", "read"],
          ["/s", "deny"],
        ]),
      ),
    ).not.toContain("cfprefsd");
    expect(
      textFor(
        boundWith([
          [":root", "read"],
          ["glob:/s/*", "deny"],
        ]),
      ),
    ).not.toContain("cfprefsd");
    expect(textFor(boundWith([["/r", "read"]]))).not.toContain("cfprefsd");
  });
});
