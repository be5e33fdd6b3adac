import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at, type BoundProfile } from "../../../src/policy/index.ts";
import type { LaunchRequest } from "../../../src/sandbox/launch-plan.ts";
import { type LinuxHost, planLinux } from "../../../src/sandbox/linux/plan-linux.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const HOST: LinuxHost = {
  bwrap: at("/usr/bin/bwrap"),
  arch: "x64",
  files: { ...fileTree("/r/", "/usr/bin/bwrap", "/usr/bin/nsenter", "/etc/"), sockets: () => [] },
  own: { hidden: [], readOnly: [] },
  uid: 1000,
  limitMeans: undefined,
  propagation: "private",
  coreDumps: "none",
  sessionFiles: [],
  shell: undefined,
};

const JOINS = {
  nsenter: at("/usr/bin/nsenter"),
  user: "/proc/7/fd/20",
  network: "/proc/7/fd/21",
  identity: "4:4026532189",
};
const ENTER = [
  "/usr/bin/nsenter",
  "--user=/proc/7/fd/20",
  "--net=/proc/7/fd/21",
  "--preserve-credentials",
  "--",
];

const READ_ONLY = boundWith([[":root", "read"]]);

function planned(profile: BoundProfile, more: Partial<LaunchRequest> = {}, host = HOST) {
  const request = { command: ["true"], cwd: at("/r"), env: {}, profile, terminal: "none" } as const;
  return planLinux({ ...request, ...more }, host);
}

describe("a command that joins a network", () => {
  it("enters it before its sandbox is made, which then makes none of its own", () => {
    const plan = planned(READ_ONLY, { joins: JOINS });
    expect(plan.prefix).toEqual(ENTER);
    expect(plan.argv).not.toContain("--unshare-net");
    expect(plan.expectedNetwork).toBe(JOINS.identity);
  });

  it("is confined as without it in every other way", () => {
    const [joined, alone] = [planned(READ_ONLY, { joins: JOINS }), planned(READ_ONLY)];
    const argv = alone.argv.filter((word) => word !== "--unshare-net");
    expect(alone.argv).toContain("--unshare-net");
    expect(alone.expectedNetwork).toBeUndefined();
    const { expectedNetwork: _, ...rest } = joined;
    expect(rest).toEqual({ ...alone, argv, prefix: ENTER });
  });

  it("stays in the host's network where the policy opens that", () => {
    const open: BoundProfile = { ...READ_ONLY, network: { kind: "enabled" } };
    expect(planned(open, { joins: JOINS })).toEqual(planned(open));
  });

  it("enters it before it leaves for mounts of its own, from where it could not", () => {
    const host: LinuxHost = { ...HOST, propagation: "shared" };
    const { prefix } = planned(READ_ONLY, { joins: JOINS }, host);
    expect(prefix.slice(0, ENTER.length)).toEqual(ENTER);
    expect(prefix[ENTER.length]).toBe("/usr/bin/unshare");
  });

  it("cannot replace the program that enters it, nor can a command that joins nothing", () => {
    const everything = boundWith([[":root", "write"]]);
    const paths = (joins?: typeof JOINS) =>
      planned(everything, joins && { joins }).expectedMounts.filter(({ readOnly }) => readOnly);
    expect(paths(JOINS)).toContainEqual({ path: JOINS.nsenter, readOnly: true });
    expect(paths()).toContainEqual({ path: JOINS.nsenter, readOnly: true });
  });
});
