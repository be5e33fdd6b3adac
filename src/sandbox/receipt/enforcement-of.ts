import type { BoundProfile } from "../../policy/index.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import type { Receipt } from "./receipt.ts";

type Enforcement = Pick<Receipt, "enforced" | "waived">;

export interface EnforcementSource {
  /** What confines, with its version. */
  readonly backend: string;
  /** Who waived the sandbox; only whoever asked for the run knows. */
  readonly waiver: { readonly by: string; readonly reason: string } | undefined;
}

const UNCONFINED = "nothing of writ's";

/** What a plan enforces, in the words of a receipt. */
export function enforcementOf(
  { tier, limits, launchFiles }: Pick<LaunchPlan, "tier" | "limits" | "launchFiles">,
  { network, unixSockets }: Pick<BoundProfile, "network" | "unixSockets">,
  { backend, waiver }: EnforcementSource,
): Enforcement {
  const confined = tier === "namespaces" || tier === "seatbelt";
  const off = tier === "seatbelt" ? "none" : "private";
  const online = network.kind !== "restricted";
  // As the system call filter has it: in the host's network private sockets cannot be told apart.
  const sockets =
    tier === "namespaces" && online && unixSockets === "private" ? "none" : unixSockets;
  return {
    enforced: {
      tier,
      backend: confined ? backend : UNCONFINED,
      network: confined && !online ? off : "host",
      unixSockets: confined ? sockets : "host",
      limits: (limits?.applied ?? []).map((one) => ({ ...one })),
      launchFiles: [...launchFiles],
    },
    waived: waiver === undefined ? null : { by: waiver.by, reason: waiver.reason },
  };
}

const LOOK_TIERS = { managed: "judged", external: "external", disabled: "none" } as const;

/** What holds a look at a file to its policy: no process runs for it, and writ judges each step of the path. */
export function enforcementOfLook(
  { enforcement }: Pick<BoundProfile, "enforcement">,
  waiver: EnforcementSource["waiver"],
): Enforcement {
  const tier = LOOK_TIERS[enforcement];
  const reach = tier === "judged" ? "none" : "host";
  const backend = tier === "judged" ? "writ" : UNCONFINED;
  return {
    enforced: {
      ...{ tier, backend, network: reach, unixSockets: reach },
      ...{ limits: [], launchFiles: [] },
    },
    waived: waiver === undefined ? null : { by: waiver.by, reason: waiver.reason },
  };
}
