/**
 * The wire of the app-server, for its clients: every method and notification with
 * the schemas of what they carry. No part of the server comes along.
 */
export { APP_MESSAGE_BYTES, appDialect } from "../app-dialect.ts";
export { appProtocol } from "./app-protocol.ts";
export { EXPERIMENTAL_MEMBERS } from "./experimental-members.ts";
export { ClientCapabilities } from "./session-methods.ts";
export { AskForApproval } from "./shapes/approval-policy.ts";
export { ActivePermissionProfile, SandboxEcho, WritThread } from "./shapes/sandbox.ts";
export { Thread, ThreadStatus } from "./shapes/thread.ts";
export { ThreadItem } from "./shapes/thread-item.ts";
export { ThreadSettings } from "./shapes/thread-settings.ts";
export { Turn, TurnError } from "./shapes/turn.ts";
export { UserInput } from "./shapes/user-input.ts";
