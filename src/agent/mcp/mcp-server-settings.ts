import type { ServerConfig } from "../../mcp/index.ts";

/** A server as it is configured, and which of its tools are for models and clients. */
export type McpServerSettings = ServerConfig & {
  readonly enabled: boolean;
  /** These and no others, where there is such a list. */
  readonly enabledTools?: readonly string[];
  readonly disabledTools?: readonly string[];
};

/** Whether the configuration lets a tool be used. */
export function allowsTool(
  { enabledTools, disabledTools }: McpServerSettings,
  tool: string,
): boolean {
  if (disabledTools?.includes(tool) === true) return false;
  return enabledTools === undefined || enabledTools.includes(tool);
}
