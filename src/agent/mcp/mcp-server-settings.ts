import type { ServerConfig } from "../../mcp/index.ts";

/** `auto`: as the approval policy says. `prompt`: always asked. `approve`: not asked. */
export type ToolApproval = "auto" | "prompt" | "approve";

/** A server as it is configured, and which of its tools are for models and clients. */
export type McpServerSettings = ServerConfig & {
  readonly enabled: boolean;
  /** These and no others, where there is such a list. */
  readonly enabledTools?: readonly string[];
  readonly disabledTools?: readonly string[];
  /** Of tools that `toolApprovals` does not name; `auto` where it is absent. */
  readonly defaultToolApproval?: ToolApproval;
  readonly toolApprovals?: ReadonlyMap<string, ToolApproval>;
};

/** Whether the configuration lets a tool be used. */
export function allowsTool(
  { enabledTools, disabledTools }: McpServerSettings,
  tool: string,
): boolean {
  if (disabledTools?.includes(tool) === true) return false;
  return enabledTools === undefined || enabledTools.includes(tool);
}

/** What the configuration says of asking about a tool. */
export function approvalOf(
  { defaultToolApproval = "auto", toolApprovals }: McpServerSettings,
  tool: string,
): ToolApproval {
  return toolApprovals?.get(tool) ?? defaultToolApproval;
}
