/**
 * The settings of a thread from what a request says, what was there and what is configured.
 *
 * Null is the same as absent: it changes nothing.
 */
import type { ApprovalPolicy, ClientTool } from "../../agent/index.ts";
import type { ChosenPolicy, CurrentPolicy } from "../policy/chosen-policy.ts";
import type { ThreadSettings } from "../store/thread-record.ts";

/** What a request may say; the policy has been chosen by then. */
export interface AskedSettings {
  readonly approvalPolicy?: ApprovalPolicy | null | undefined;
  readonly approvalsReviewer?: ThreadSettings["approvalsReviewer"] | null | undefined;
  readonly model?: string | null | undefined;
  readonly modelProvider?: string | null | undefined;
  readonly effort?: string | null | undefined;
  readonly summary?: ThreadSettings["summary"] | undefined;
  readonly serviceTier?: string | null | undefined;
  readonly baseInstructions?: string | null | undefined;
  readonly developerInstructions?: string | null | undefined;
  /** Only where a thread begins. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  readonly environments?: readonly { environmentId: string; cwd: string }[] | null | undefined;
}

/** What answers where nothing is configured: it needs no key and no network. */
const BUILT_IN = { modelProvider: "writ", model: "offline" };
const LOCAL = "local";

/** For a thread that begins. */
export function beginSettings(asked: AskedSettings, chosen: ChosenPolicy): ThreadSettings {
  const { settings } = chosen.config;
  const modelProvider = asked.modelProvider ?? settings.modelProvider ?? BUILT_IN.modelProvider;
  return changedSettings(asked, chosen, {
    policy: chosen.policy,
    cwd: chosen.place.cwd,
    workspaceRoots: chosen.place.workspaceRoots,
    seen: chosen.seen,
    approvalPolicy: settings.approvalPolicy ?? "on-request",
    approvalsReviewer: "user",
    model: settings.model ?? BUILT_IN.model,
    modelProvider,
    effort: settings.reasoningEffort ?? null,
    summary: null,
    serviceTier: null,
    instructions: settings.instructions ?? null,
    environments: [{ id: LOCAL, cwd: chosen.place.cwd }],
    clientTools: asked.clientTools ?? [],
  });
}

/** For a thread that has settings. */
export function changedSettings(
  asked: AskedSettings,
  { policy, place, seen }: CurrentPolicy,
  current: ThreadSettings,
): ThreadSettings {
  return {
    policy,
    cwd: place.cwd,
    workspaceRoots: place.workspaceRoots,
    seen,
    approvalPolicy: asked.approvalPolicy ?? current.approvalPolicy,
    approvalsReviewer: asked.approvalsReviewer ?? current.approvalsReviewer,
    model: asked.model ?? current.model,
    modelProvider: asked.modelProvider ?? current.modelProvider,
    effort: asked.effort ?? current.effort,
    summary: asked.summary ?? current.summary,
    serviceTier: asked.serviceTier ?? current.serviceTier,
    instructions: instructionsOf(asked) ?? current.instructions,
    environments: environmentsOf(asked, place.cwd, current),
    clientTools: current.clientTools,
  };
}

function instructionsOf({ baseInstructions, developerInstructions }: AskedSettings): string | null {
  const given = [baseInstructions, developerInstructions].filter((one) => typeof one === "string");
  return given.length === 0 ? null : given.join("\n\n");
}

/** The folder of this machine is that of the thread; those elsewhere stay. */
function environmentsOf(
  { environments }: AskedSettings,
  cwd: string,
  current: ThreadSettings,
): ThreadSettings["environments"] {
  const all = environments?.map(({ environmentId: id, cwd: at }) => ({ id, cwd: at }));
  return (all ?? current.environments).map((one) => (one.id === LOCAL ? { ...one, cwd } : one));
}
