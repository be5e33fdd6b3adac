import { isDeepStrictEqual } from "node:util";
import type { TurnFrame } from "../../agent/index.ts";
import { uriOfNative } from "../../policy/index.ts";
import type { CurrentPolicy } from "../policy/chosen-policy.ts";
import type { MovedElsewhere, PolicyPlace } from "../policy/policy-place.ts";
import type { ThreadSettings } from "../store/thread-record.ts";

/** What a turn begins with. Elsewhere the symbols of the policy lead to the folder there. */
export function frameOf(
  settings: ThreadSettings,
  { policy, place }: Pick<CurrentPolicy, "policy" | "place">,
  era: number,
): TurnFrame {
  const there = settings.environments[0];
  const { cwd, workspaceRoots } = placeElsewhere(there) ?? place;
  const { modelProvider: provider, model, effort } = settings;
  return {
    profile: policy.profile,
    cwd: uriOfNative(cwd),
    workspaceRoots: workspaceRoots.map(uriOfNative),
    era,
    granted: [],
    approval: settings.approvalPolicy,
    model: { provider, model, effort },
    instructions: settings.instructions,
    environment: there?.id ?? null,
    clientTools: settings.clientTools,
  };
}

type Environment = ThreadSettings["environments"][number];

/** Where a thread that works on another machine does so. */
function placeElsewhere(there: Environment | undefined): PolicyPlace | undefined {
  if (there === undefined || there.id === "local") return undefined;
  return { cwd: there.cwd, workspaceRoots: [there.cwd] };
}

/** Where it works there before a change and after it; nothing where it comes or leaves. */
export function movedElsewhere(
  [before]: ThreadSettings["environments"],
  [after]: ThreadSettings["environments"],
): MovedElsewhere | undefined {
  const [from, to] = [placeElsewhere(before), placeElsewhere(after)];
  return from && to && before?.id === after?.id ? { from, to } : undefined;
}

/** Whether two turns are held to the same, in the same place. */
export function areHeldAlike(one: TurnFrame, other: TurnFrame): boolean {
  const heldTo = ({ profile, cwd, workspaceRoots, environment }: TurnFrame) => [
    ...[profile, cwd, workspaceRoots, environment],
  ];
  return isDeepStrictEqual(heldTo(one), heldTo(other));
}
