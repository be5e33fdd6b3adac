/**
 * The settings of a thread from what a request says, what was there and what is configured.
 *
 * Null is the same as absent: it changes nothing.
 */
import type { ApprovalPolicy, ClientTool } from "../../agent/index.ts";
import type { Config } from "../../config/index.ts";
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
  const configured = changedSettings(settingsIn(chosen.config), chosen, {
    policy: chosen.policy,
    cwd: chosen.place.cwd,
    workspaceRoots: chosen.place.workspaceRoots,
    seen: chosen.seen,
    approvalPolicy: "on-request",
    approvalsReviewer: "user",
    ...BUILT_IN,
    effort: null,
    summary: null,
    serviceTier: null,
    instructions: null,
    environments: [{ id: LOCAL, cwd: chosen.place.cwd }],
    clientTools: asked.clientTools ?? [],
  });
  return changedSettings(asked, chosen, configured);
}

/** For a thread that goes on, or is forked: of what is configured counts what the request itself says. */
export function resumedSettings(
  asked: AskedSettings,
  chosen: ChosenPolicy,
  kept: ThreadSettings,
): ThreadSettings {
  const { config } = chosen;
  const requested = settingsIn(config, (key) => config.requested.has(key));
  return changedSettings(asked, chosen, changedSettings(requested, chosen, kept));
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

/** By the keys of the file; those that do not count are left out. */
function settingsIn(
  { settings }: Pick<Config, "settings">,
  counts: (key: string) => boolean = () => true,
): AskedSettings {
  const said = <T>(key: string, value: T) => (counts(key) ? value : undefined);
  return {
    approvalPolicy: said("approval_policy", settings.approvalPolicy),
    model: said("model", settings.model),
    modelProvider: said("model_provider", settings.modelProvider),
    effort: said("model_reasoning_effort", settings.reasoningEffort),
    baseInstructions: said("instructions", settings.instructions),
    developerInstructions: said("developer_instructions", settings.developerInstructions),
  };
}

function instructionsOf({ baseInstructions, developerInstructions }: AskedSettings): string | null {
  const given = [baseInstructions, developerInstructions].filter((one) => typeof one === "string");
  return given.length === 0 ? null : given.join("\n\n");
}

/** The folder of this machine is that of the thread; those elsewhere stay. */
export function environmentsOf(
  { environments }: AskedSettings,
  cwd: string,
  current: ThreadSettings,
): ThreadSettings["environments"] {
  const all = environments?.map(({ environmentId: id, cwd: at }) => ({ id, cwd: at }));
  return (all ?? current.environments).map((one) => (one.id === LOCAL ? { ...one, cwd } : one));
}
