/** Reads and layers configuration files. */
export { type ChosenProfile, chooseProfile, defaultProfile } from "./choose-profile.ts";
export { ConfigError, type ConfigErrorCode } from "./config-error.ts";
export { type ConfigLoader, createConfigLoader } from "./create-config-loader.ts";
export { type DefaultChoice, defaultChoice } from "./default-choice.ts";
export { loadCeilings, REQUIREMENTS } from "./load-ceilings.ts";
export { type Config, type ConfigPlaces, loadConfig } from "./load-config.ts";
export { modePolicy } from "./mode-policy.ts";
export { readBoundedFile } from "./read-bounded-file.ts";
export type { EnvironmentTable } from "./read-environment.ts";
export type { ConfigLayer } from "./read-layer.ts";
export type { HttpServerTable, McpServerTable, StdioServerTable } from "./read-mcp-servers.ts";
export { readTomlFile, type TomlTable } from "./read-toml-file.ts";
export type { ApprovalSetting } from "./settings/read-approval-setting.ts";
export type { ModelProviderTable } from "./settings/read-model-providers.ts";
export type { UserSettings } from "./settings/read-settings.ts";
export type { ToolApproval, ToolRules } from "./settings/read-tool-rules.ts";
export type { WorkspaceWrite } from "./settings/read-workspace-write.ts";
export type { UnknownKey } from "./settings/unknown-key.ts";
