/** What a thread goes on with, as clients see it. */
import { z } from "zod";
import { ApprovalsReviewer, AskForApproval } from "./approval-policy.ts";
import { ActivePermissionProfile, SandboxEcho, WritThread } from "./sandbox.ts";

const text = z.string().nullable();

const MultiAgentMode = z
  .union([z.enum(["explicitRequestOnly", "proactive"]), z.object({ custom: z.string() })])
  .meta({ id: "MultiAgentMode", description: "Always `explicitRequestOnly` here." });

export const CollaborationMode = z
  .object({
    mode: z.enum(["plan", "default"]),
    settings: z.object({
      model: z.string(),
      reasoning_effort: text,
      developer_instructions: text,
    }),
  })
  .meta({ id: "CollaborationMode", description: "How a client wants to work with a thread." });

/** What `thread/start`, `thread/resume` and `thread/fork` answer beside the thread. */
export const effectiveMembers = {
  model: z.string(),
  modelProvider: z.string(),
  serviceTier: text,
  disabledPluginIds: z.array(z.string()),
  cwd: z.string(),
  runtimeWorkspaceRoots: z.array(z.string()).describe("What `:workspace_roots` stands for."),
  instructionSources: z.array(z.string()),
  approvalPolicy: AskForApproval,
  approvalsReviewer: ApprovalsReviewer,
  sandbox: SandboxEcho,
  activePermissionProfile: ActivePermissionProfile.nullable(),
  reasoningEffort: text,
  multiAgentMode: MultiAgentMode,
  writ: WritThread,
};

export const ThreadSettings = z
  .object({
    disabledPluginIds: z.array(z.string()),
    cwd: z.string(),
    approvalPolicy: AskForApproval,
    approvalsReviewer: ApprovalsReviewer,
    sandboxPolicy: SandboxEcho,
    activePermissionProfile: ActivePermissionProfile.nullable(),
    model: z.string(),
    modelProvider: z.string(),
    serviceTier: text,
    effort: text,
    summary: z.enum(["auto", "concise", "detailed", "none"]).nullable(),
    collaborationMode: CollaborationMode,
    multiAgentMode: MultiAgentMode,
    personality: z.enum(["none", "friendly", "pragmatic"]).nullable(),
    writ: WritThread,
  })
  .meta({ id: "ThreadSettings", description: "What the next turn of a thread begins with." });
export type ThreadSettings = z.infer<typeof ThreadSettings>;
