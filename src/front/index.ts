/**
 * The front door: a sandbox for the commands of an agent, in one call.
 *
 * Importing it loads the policy layer alone; what runs commands is loaded by the
 * first sandbox. Each layer has a door of its own, such as `writ/exec`.
 */
export { PolicyError, type PolicyErrorCode, SANDBOX_MODES } from "../policy/index.ts";
export type { CommandResult, SandboxTools, ToolCall, ToolOutcome } from "../session/index.ts";
export { openSandbox, type SandboxOptions } from "./open-sandbox.ts";
export { type AskedPolicy, readPolicy } from "./read-policy.ts";
export type { CommandOptions, Sandbox } from "./sandbox.ts";
