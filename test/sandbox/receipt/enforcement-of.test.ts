import { describe, expect, it } from "vitest";
import type { BoundProfile } from "../../../src/policy/index.ts";
import type { LaunchPlan } from "../../../src/sandbox/launch-plan.ts";
import { enforcementOf, enforcementOfLook } from "../../../src/sandbox/receipt/enforcement-of.ts";

type Tier = LaunchPlan["tier"];
type Asked = Pick<BoundProfile, "network" | "unixSockets">;

function enforced(tier: Tier, asked: Asked, waiver?: { by: string; reason: string }) {
  return enforcementOf({ tier, limits: undefined, launchFiles: [] }, asked, {
    backend: "bwrap 0.8.0",
    waiver,
  });
}

describe("enforcementOf", () => {
  it.each<[Tier, Asked["network"]["kind"], Asked["unixSockets"], string, string]>([
    ["namespaces", "restricted", "private", "private", "private"],
    ["namespaces", "enabled", "private", "host", "none"],
    ["namespaces", "enabled", "host", "host", "host"],
    ["namespaces", "restricted", "none", "private", "none"],
    ["seatbelt", "restricted", "private", "none", "private"],
    ["seatbelt", "enabled", "private", "host", "private"],
    ["external", "restricted", "none", "host", "host"],
    ["none", "restricted", "none", "host", "host"],
  ])("says of %s with network %s and sockets %s: %s, %s", (tier, kind, sockets, network, unix) => {
    const asked = { network: { kind } as Asked["network"], unixSockets: sockets };
    expect(enforced(tier, asked).enforced).toMatchObject({ tier, network, unixSockets: unix });
  });

  it.each([
    ["managed", "judged", "writ", "none"],
    ["external", "external", "nothing of writ's", "host"],
    ["disabled", "none", "nothing of writ's", "host"],
  ] as const)(
    "says of a look under a policy that is %s: %s, %s",
    (enforcement, tier, by, reach) => {
      expect(enforcementOfLook({ enforcement }, undefined).enforced).toMatchObject({
        ...{ tier, backend: by, network: reach, unixSockets: reach },
      });
    },
  );

  it("takes a waiver from its caller and makes up none", () => {
    const asked = { network: { kind: "enabled" }, unixSockets: "host" } as const;
    const waiver = { kind: "waived", by: "user", reason: "a device" };
    expect(enforced("none", asked).waived).toBeNull();
    expect(enforced("none", asked, waiver).waived).toEqual({ by: "user", reason: "a device" });
  });
});
