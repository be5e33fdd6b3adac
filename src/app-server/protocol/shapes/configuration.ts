/**
 * The configuration and what binds it, as clients of this dialect read them.
 *
 * Members that this server has no use for are written as null without anybody
 * having to say so.
 */
import { z } from "zod";
import { SandboxMode } from "../../../policy/index.ts";
import { ApprovalsReviewer, AskForApproval } from "./approval-policy.ts";
import { Json } from "./json.ts";

const text = z.string().nullable().default(null);
const nothing = z.null().default(null);

/** The configuration in force, by the keys of its file. */
export const Configuration = z
  .looseObject({
    model: text,
    model_provider: text,
    approval_policy: AskForApproval.nullable().default(null),
    approvals_reviewer: ApprovalsReviewer.nullable().default(null),
    sandbox_mode: SandboxMode.nullable().default(null),
    sandbox_workspace_write: z
      .object({
        writable_roots: z.array(z.string()),
        network_access: z.boolean(),
        exclude_tmpdir_env_var: z.boolean(),
        exclude_slash_tmp: z.boolean(),
      })
      .nullable()
      .default(null),
    developer_instructions: text,
    instructions: text,
    model_reasoning_effort: text,
    model_reasoning_summary: text,
    service_tier: text,
    review_model: nothing,
    model_context_window: nothing,
    model_auto_compact_token_limit: nothing,
    model_auto_compact_token_limit_scope: nothing,
    forced_chatgpt_workspace_id: nothing,
    forced_login_method: nothing,
    web_search: nothing,
    tools: nothing,
    compact_prompt: nothing,
    model_verbosity: nothing,
    analytics: nothing,
    apps: nothing,
    browser_use: nothing,
    computer_use: nothing,
    desktop: nothing,
  })
  .meta({ id: "Configuration", description: "The configuration in force." });

/** What the operator of this machine allows. */
export const Requirements = z
  .object({
    allowedApprovalPolicies: z.array(AskForApproval).nullable().default(null),
    allowedApprovalsReviewers: z.array(ApprovalsReviewer).nullable().default(null),
    allowedSandboxModes: z.array(SandboxMode).nullable().default(null),
    allowedPermissionProfiles: z.record(z.string(), z.boolean()).nullable().default(null),
    defaultPermissions: text,
    modelProvider: nothing,
    modelProviders: nothing,
    allowedLoginMethods: nothing,
    cliAuthCredentialsStore: nothing,
    chatgptBaseUrl: nothing,
    additionalDeveloperInstructions: nothing,
    allowedWindowsSandboxImplementations: nothing,
    allowedWebSearchModes: nothing,
    allowManagedHooksOnly: nothing,
    allowBrowserAndComputerUse: nothing,
    allowAppshots: nothing,
    allowRemoteControl: nothing,
    computerUse: nothing,
    browserUse: nothing,
    inAppBrowser: nothing,
    featureRequirements: nothing,
    hooks: nothing,
    enforceResidency: nothing,
    network: nothing,
    application: nothing,
    autoReview: nothing,
    models: nothing,
    sqliteHome: nothing,
    logDir: nothing,
    modelCatalogJson: nothing,
    checkForUpdateOnStartup: nothing,
    allowLoginShell: nothing,
    feedback: nothing,
    otel: nothing,
  })
  .meta({ id: "Requirements", description: "What the operator of this machine allows." });

const LayerName = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("system"), file: z.string() }),
    z.object({ type: z.literal("user"), file: z.string(), profile: z.string().nullable() }),
    z.object({ type: z.literal("project"), dotCodexFolder: z.string() }),
    z.object({ type: z.literal("sessionFlags") }),
  ])
  .meta({ id: "LayerName", description: "Where a part of the configuration comes from." });

/** Where one key of the configuration comes from. */
export const LayerOrigin = z
  .object({ name: LayerName, version: z.string() })
  .meta({ id: "LayerOrigin", description: "A file of the configuration, as it was read." });

/** One file of the configuration, with what it says. */
export const ConfigurationLayer = LayerOrigin.extend({
  config: Json,
  disabledReason: z.string().nullable(),
}).meta({ id: "ConfigurationLayer", description: "A file of the configuration and its content." });
