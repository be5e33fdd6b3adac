import { isDeepStrictEqual } from "node:util";
import type { TurnFrame } from "../../agent/index.ts";
import { uriOfNative } from "../../policy/index.ts";
import type { CurrentPolicy } from "../policy/chosen-policy.ts";
import type { ThreadSettings } from "../store/thread-record.ts";

/** What a turn begins with. Elsewhere the symbols of the policy lead to the folder there. */
export function frameOf(
  settings: ThreadSettings,
  { policy, place }: Pick<CurrentPolicy, "policy" | "place">,
  era: number,
): TurnFrame {
  const there = settings.environments[0];
  const isHere = there === undefined || there.id === "local";
  const { cwd, workspaceRoots } = isHere ? place : { cwd: there.cwd, workspaceRoots: [there.cwd] };
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

/** Whether two turns are held to the same, in the same place. */
export function areHeldAlike(one: TurnFrame, other: TurnFrame): boolean {
  const heldTo = ({ profile, cwd, workspaceRoots, environment }: TurnFrame) => [
    ...[profile, cwd, workspaceRoots, environment],
  ];
  return isDeepStrictEqual(heldTo(one), heldTo(other));
}
