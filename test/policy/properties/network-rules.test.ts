import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  parseAbsolutePath as at,
  type BoundProfile,
  bindProfile,
  firstWidening,
  type NetworkRules,
  PROTECTED_NAMES,
} from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { networkRules } from "./arbitraries.ts";
import { letsThrough, requests } from "./naive-network.ts";

vi.setConfig({ testTimeout: 60_000 });

function under(rules: NetworkRules): BoundProfile {
  return bindProfile(
    {
      type: "managed",
      unixSockets: "none",
      fileSystem: { type: "unrestricted" },
      network: { kind: "ruled", rules },
    },
    {
      system: "linux",
      cwd: at("/"),
      workspaceRoots: [],
      tmpdir: undefined,
      slashTmp: undefined,
      platformDefaults: [],
      protectedNames: PROTECTED_NAMES,
      externalSandbox: "absent",
    },
  );
}

/** A base and rules that mostly look like a narrower form of it. */
const pair = fc
  .tuple(networkRules, networkRules, fc.constantFrom("free", "near"))
  .map(([base, other, how]) => {
    const kept = Object.entries(base.domains).filter(([, verdict]) => verdict === "deny");
    const inner: NetworkRules = {
      ...base,
      domains: Object.fromEntries([...Object.entries(other.domains).slice(0, 1), ...kept]),
    };
    return { base, inner: how === "near" ? inner : other };
  });

describe("firstWidening", () => {
  it("lets no rules pass that let a request through which the base stops", () => {
    fc.assert(
      fc.property(pair, ({ base, inner }) => {
        const [wide, tight] = [under(base), under(inner)];
        if (firstWidening(tight, wide) !== undefined) return;
        const wider = requests.filter(
          (one) => letsThrough(tight.network, one) && !letsThrough(wide.network, one),
        );
        expect(wider).toEqual([]);
      }),
      campaign(5000),
    );
  });

  it("lets rules pass under themselves", () => {
    fc.assert(
      fc.property(networkRules, (rules) => {
        expect(firstWidening(under(rules), under(rules))).toBeUndefined();
      }),
      campaign(1000),
    );
  });
});
