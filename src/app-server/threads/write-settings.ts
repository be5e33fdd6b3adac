import type { z } from "zod";
import type { echoPolicy } from "../policy/echo-policy.ts";
import type { ThreadSettings as WireThreadSettings } from "../protocol/shapes/thread-settings.ts";
import type { ThreadSettings } from "../store/thread-record.ts";

type Echo = ReturnType<typeof echoPolicy>;

/** Settings as a notification tells them. */
export function writeSettings(
  settings: ThreadSettings,
  { sandbox, activePermissionProfile, writ }: Echo,
): z.input<typeof WireThreadSettings> {
  return {
    ...sharedMembers(settings),
    sandboxPolicy: sandbox,
    activePermissionProfile,
    effort: settings.effort,
    summary: settings.summary,
    collaborationMode: {
      mode: "default",
      settings: {
        model: settings.model,
        reasoning_effort: settings.effort,
        developer_instructions: null,
      },
    },
    personality: null,
    writ,
  };
}

/** Settings as they stand beside a thread in a response. */
export function writeEffective(settings: ThreadSettings, echo: Echo) {
  return {
    ...sharedMembers(settings),
    ...echo,
    runtimeWorkspaceRoots: [...settings.workspaceRoots],
    instructionSources: [],
    reasoningEffort: settings.effort,
  };
}

function sharedMembers(settings: ThreadSettings) {
  return {
    disabledPluginIds: [],
    cwd: settings.cwd,
    approvalPolicy: settings.approvalPolicy,
    approvalsReviewer: settings.approvalsReviewer,
    model: settings.model,
    modelProvider: settings.modelProvider,
    serviceTier: settings.serviceTier,
    multiAgentMode: "explicitRequestOnly" as const,
  };
}
