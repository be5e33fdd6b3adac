import type { BoundProfile } from "../../policy/index.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import type { Receipt } from "./receipt.ts";

type Enforcement = Pick<Receipt, "enforced" | "waived">;

/** What a plan enforces, in the words of a receipt; `version` is that of the back-end. */
export function enforcementOf(
  { tier, limits }: LaunchPlan,
  { network, unixSockets }: BoundProfile,
  version: string,
): Enforcement {
  const confined = tier === "namespaces" || tier === "seatbelt";
  const off = tier === "seatbelt" ? "none" : "private";
  return {
    enforced: {
      tier,
      backend: confined ? version : "nothing of writ's",
      network: confined && network.kind === "restricted" ? off : "host",
      unixSockets: confined ? unixSockets : "host",
      limits: (limits?.applied ?? []).map((one) => ({ ...one })),
      // What the launch needs is shown by the policy itself, or there is no launch.
      launchFiles: [],
    },
    waived: tier === "none" ? { by: "policy", reason: "the profile waives the sandbox" } : null,
  };
}
