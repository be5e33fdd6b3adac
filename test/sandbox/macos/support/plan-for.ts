/** Plans for tests: nothing of writ's own, and a disk on which every path is a folder. */
import { parseAbsolutePath as at, type BoundProfile } from "../../../../src/policy/index.ts";
import type { FileFacts } from "../../../../src/sandbox/files/file-facts.ts";
import type { LaunchRequest } from "../../../../src/sandbox/launch-plan.ts";
import { type MacosHost, planMacos } from "../../../../src/sandbox/macos/plan-macos.ts";
import { planPolicy, type SeatbeltPolicy } from "../../../../src/sandbox/macos/plan-policy.ts";
import { realRules } from "../../../../src/sandbox/rules/real-rules.ts";

export const ALL_FOLDERS: FileFacts = {
  kindOf: () => "directory",
  linkAt: () => "",
  textAt: () => "",
  canMakeIn: () => true,
  isOpenToAll: () => false,
  closedTo: () => undefined,
  sockets: () => [],
  kernelMounts: () => [],
  matchesOf: () => [],
};

const NOTHING_OWN = { hidden: [], readOnly: [] };

export function requestFor(
  profile: BoundProfile,
  more: Partial<LaunchRequest> = {},
): LaunchRequest {
  return {
    command: ["/bin/echo", "hi"],
    cwd: at("/r"),
    env: { LANG: "C" },
    terminal: "none",
    ...more,
    profile,
  };
}

export function planFor(
  profile: BoundProfile,
  files = ALL_FOLDERS,
  more: Partial<LaunchRequest> = {},
) {
  const host: MacosHost = { files, own: NOTHING_OWN };
  return planMacos(requestFor(profile, more), host);
}

/** The policy alone, for profiles under which no folder can be started in. */
export function policyFor(profile: BoundProfile, files = ALL_FOLDERS): SeatbeltPolicy {
  const real = realRules(profile, files, NOTHING_OWN);
  return planPolicy(requestFor(profile), { real, files });
}
