/**
 * What the user's file says beside policies: under the names that Codex has for it.
 *
 * A setting that is there and cannot be meant is a refusal, also where nothing
 * uses it yet: somebody believes in it.
 */
import { memberName, SANDBOX_MODES, type SandboxMode } from "../../policy/index.ts";
import type { TomlTable } from "../read-toml-file.ts";
import { oneOf, textOf } from "../table-of.ts";
import { type ApprovalSetting, readApprovalSetting } from "./read-approval-setting.ts";
import { type ModelProviderTable, readModelProviders } from "./read-model-providers.ts";
import { readSkillSettings, SKILL_KEYS, type SkillSettings } from "./read-skill-settings.ts";
import { readWorkspaceWrite, type WorkspaceWrite } from "./read-workspace-write.ts";
import type { NoteKey } from "./unknown-key.ts";

export interface UserSettings {
  readonly model?: string;
  readonly modelProvider?: string;
  readonly modelProviders: ReadonlyMap<string, ModelProviderTable>;
  readonly approvalPolicy?: ApprovalSetting;
  readonly approvalsReviewer?: (typeof REVIEWERS)[number];
  readonly sandboxMode?: SandboxMode;
  readonly workspaceWrite: WorkspaceWrite;
  readonly reasoningEffort?: string;
  readonly instructions?: string;
  readonly developerInstructions?: string;
  readonly skills: SkillSettings;
}

const REVIEWERS = ["user", "auto_review", "guardian_subagent"] as const;

/** The keys that {@link readSettings} reads. */
export const SETTING_KEYS = [
  "model",
  "model_provider",
  "model_providers",
  "approval_policy",
  "approvals_reviewer",
  "sandbox_mode",
  "sandbox_workspace_write",
  "model_reasoning_effort",
  "instructions",
  "developer_instructions",
  ...SKILL_KEYS,
];

/** Reads the settings of a whole file; `note` is told of keys inside them that nothing heeds. */
export function readSettings(table: TomlTable, where: string, note: NoteKey): UserSettings {
  const at = (key: string) => memberName(where, key);
  const text = (key: string) => textOf(table[key], at(key));
  const given = (key: string) => table[key] !== undefined;
  return {
    ...(given("model") && { model: text("model") }),
    ...(given("model_provider") && { modelProvider: text("model_provider") }),
    modelProviders: readModelProviders(table.model_providers, at("model_providers"), note),
    ...asking(table, where),
    ...(given("sandbox_mode") && {
      sandboxMode: oneOf(table.sandbox_mode, SANDBOX_MODES, at("sandbox_mode")),
    }),
    workspaceWrite: readWorkspaceWrite(
      table.sandbox_workspace_write,
      at("sandbox_workspace_write"),
    ),
    ...(given("model_reasoning_effort") && { reasoningEffort: text("model_reasoning_effort") }),
    ...(given("instructions") && { instructions: text("instructions") }),
    ...(given("developer_instructions") && {
      developerInstructions: text("developer_instructions"),
    }),
    skills: readSkillSettings(table, where, note),
  };
}

function asking(
  { approval_policy: policy, approvals_reviewer: reviewer }: TomlTable,
  where: string,
): Pick<UserSettings, "approvalPolicy" | "approvalsReviewer"> {
  return {
    ...(policy !== undefined && {
      approvalPolicy: readApprovalSetting(policy, memberName(where, "approval_policy")),
    }),
    ...(reviewer !== undefined && {
      approvalsReviewer: oneOf(reviewer, REVIEWERS, memberName(where, "approvals_reviewer")),
    }),
  };
}
