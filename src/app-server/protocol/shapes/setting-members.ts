/**
 * Members by which several requests set something.
 *
 * Null is the same as absent. Each says whether it acts, is stored and shown
 * again, or is ignored: clients of this dialect send many that only Codex uses.
 */
import path from "node:path";
import { z } from "zod";
import { ApprovalPolicyParam, ApprovalsReviewer } from "./approval-policy.ts";
import { CollaborationMode } from "./thread-settings.ts";

const text = z.string().nullish();
const ignored = "Ignored.";

const AbsolutePath = z
  .string()
  .refine((value) => path.isAbsolute(value), "AbsolutePathBuf deserialized without a base path")
  .meta({ id: "AbsolutePath", description: "An absolute path of this host." });

const EnvironmentChoice = z
  .object({
    environmentId: z.string(),
    cwd: z.string(),
    runtimeWorkspaceRoots: z.array(z.string()).nullish(),
  })
  .meta({ id: "EnvironmentChoice", description: "A place to run commands, and the folder there." });

/** What both a thread and a turn may set. */
export const settingMembers = {
  cwd: text.describe("Acts. The folder of commands; relative to that of the server."),
  approvalPolicy: ApprovalPolicyParam.nullish().describe("Acts. When to ask."),
  approvalsReviewer: ApprovalsReviewer.nullish().describe("Stored. The user is always asked."),
  model: text.describe("Acts. The model that answers."),
  serviceTier: text.describe("Stored."),
  personality: z.enum(["none", "friendly", "pragmatic"]).nullish().describe(ignored),
  multiAgentMode: z
    .union([z.enum(["explicitRequestOnly", "proactive"]), z.object({ custom: z.string() })])
    .nullish()
    .describe(ignored),
};

/** What only a turn or an update of settings may set besides. */
export const turnSettingMembers = {
  ...settingMembers,
  disabledPluginIds: z.array(z.string()).nullish().describe("Ignored: there are no plug-ins."),
  effort: text.describe("Acts. How hard the model thinks."),
  summary: z
    .enum(["auto", "concise", "detailed", "none"])
    .nullish()
    .describe("Acts. How its thoughts are summed up."),
  collaborationMode: CollaborationMode.nullish().describe("Stored."),
};

/** Where the commands of a thread or a turn run. */
export const placeMembers = {
  runtimeWorkspaceRoots: z
    .array(AbsolutePath)
    .nullish()
    .describe("Acts. What `:workspace_roots` stands for; the folder of commands when absent."),
  environments: z
    .array(EnvironmentChoice)
    .nullish()
    .describe("Acts. Where commands run, the first one by default; nowhere when empty."),
};
