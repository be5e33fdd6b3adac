/** The loop: models, tools, approvals and events of a turn. */
export type { ListedSkills, Skill, SkillSource } from "../session/index.ts";
export type { Agent, ThreadAgent } from "./agent.ts";
export type { AgentClock } from "./agent-clock.ts";
export type { ApprovalAnswer, ApprovalPolicy, ApprovalQuestion } from "./approval.ts";
export type { ClientAnswer, ClientCall, ClientTool } from "./client/client-tool.ts";
export { clientToolName } from "./client/client-tools.ts";
export type { ThreadProcess } from "./commands/kept-commands.ts";
export type { CommandVariables } from "./commands/thread-commands.ts";
export { type AgentOptions, createAgent } from "./create-agent.ts";
export { unifiedDiff } from "./files/unified-diff.ts";
export type { AgentMessage, Reasoning } from "./items/agent-message.ts";
export type { ClientToolCall, ClientToolContent } from "./items/client-tool-call.ts";
export type { FileChange, FileUpdate } from "./items/file-change.ts";
export type { ItemStatus, ModelCall, RefusedCall, TerminalWrite } from "./items/model-call.ts";
export type { ShownImage, ToolUse } from "./items/tool-use.ts";
export type { UserInput, UserMessage } from "./items/user-message.ts";
export {
  createMcpTools,
  type McpStartup,
  type McpTools,
  type McpToolsOptions,
} from "./mcp/create-mcp-tools.ts";
export type { KnownTool } from "./mcp/judge-tool.ts";
export type { McpServerSettings, ToolApproval } from "./mcp/mcp-server-settings.ts";
export type { McpServerStatus } from "./mcp/mcp-thread.ts";
export type { ServerState, ThreadServer, ThreadServerOptions } from "./mcp/thread-server.ts";
export { type AiModelsOptions, createAiModels } from "./model/ai/create-ai-models.ts";
export type { ModelProvider } from "./model/ai/model-provider.ts";
export type { Model, ModelEvent, ModelRequest, Models, ToolDeclaration } from "./model/model.ts";
export { ModelError, type ModelErrorCode } from "./model/model-error.ts";
export { OFFLINE_CHOICE, offlineModels } from "./model/offline-model.ts";
export type {
  GrantRequest,
  GrantScope,
  PermissionAnswer,
  PermissionQuestion,
} from "./permissions/permission-question.ts";
export type { ThreadDependencies } from "./sandbox/session-places.ts";
export type { ToolCall, ToolContext, ToolOutcome, ToolSource, Verdict } from "./tools/tool.ts";
export type { TokenUsage, TurnEvent } from "./turn-event.ts";
export type { ModelChoice, TurnFrame } from "./turn-frame.ts";
export type { CommandExecution, McpToolCall, TurnItem } from "./turn-item.ts";
export type { TurnEnd, TurnPort } from "./turn-port.ts";
export type { SaidInput, ShellRequest, TurnRequest } from "./turn-request.ts";
