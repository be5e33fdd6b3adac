/**
 * What a server asks of clients.
 *
 * Only answers that say yes in a word that was offered are a yes: everything
 * else, also an amendment of rules that were not proposed, does not fit the
 * result and is a refusal.
 */
import { z } from "zod";
import { method } from "../../rpc/index.ts";
import { Json } from "./shapes/json.ts";
import { CommandAction, ToolContent } from "./shapes/thread-item.ts";

const text = z.string().nullable();
const Decision = z
  .enum(["accept", "acceptForSession", "decline", "cancel"])
  .meta({ id: "ApprovalDecision", description: "`cancel` also ends the turn." });

const asked = {
  threadId: z.string(),
  turnId: z.string(),
  itemId: z.string(),
  startedAtMs: z.int(),
  reason: text,
};

const fileEntry = z.strictObject({
  path: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("path"), path: z.string() }),
    z.strictObject({ type: z.literal("glob_pattern"), pattern: z.string() }),
    z.strictObject({ type: z.literal("special"), value: z.looseObject({ kind: z.string() }) }),
  ]),
  access: z.enum(["read", "write", "deny"]),
});
const paths = z.array(z.string()).nullable();
const network = { enabled: z.boolean().nullable() };
const fileSystem = { read: paths, write: paths, entries: z.array(fileEntry) };

/** What a model asks to be allowed besides its policy. */
const RequestedPermissions = z
  .object({ network: z.object(network).nullable(), fileSystem: z.object(fileSystem).nullable() })
  .meta({ id: "RequestedPermissions", description: "What is asked for beyond the policy." });

/** A member that is not known may be a restriction, so it spoils the grant. */
const GrantedPermissions = z
  .strictObject({
    network: z.strictObject(network).partial().nullish(),
    fileSystem: z
      .strictObject({ ...fileSystem, entries: fileSystem.entries.nullable() })
      .partial()
      .nullish(),
  })
  .meta({ id: "GrantedPermissions", description: "Counts only as far as it was asked for." });

export const serverRequests = {
  commandApproval: method("item/commandExecution/requestApproval", {
    summary: "May this command run, or may this be typed into it",
    params: z.object({
      kind: z.enum(["command", "writeStdin"]),
      ...asked,
      approvalId: text.describe("Of a write: the call that asks."),
      environmentId: text,
      command: text,
      cwd: text,
      commandActions: z.array(CommandAction).nullable(),
      additionalPermissions: z.null(),
      proposedExecpolicyAmendment: z.null(),
      networkApprovalContext: z.null(),
      proposedNetworkPolicyAmendments: z.null(),
      availableDecisions: z.array(Decision).nullable(),
    }),
    result: z.object({ decision: Decision }),
  }),
  fileChangeApproval: method("item/fileChange/requestApproval", {
    summary: "May these files be changed",
    params: z.object({ ...asked, grantRoot: text }),
    result: z.object({ decision: Decision }),
  }),
  permissionsApproval: method("item/permissions/requestApproval", {
    summary: "May more be allowed than the policy does",
    params: z.object({
      ...asked,
      environmentId: text,
      cwd: z.string(),
      permissions: RequestedPermissions,
    }),
    result: z.strictObject({
      permissions: GrantedPermissions,
      scope: z.enum(["turn", "session"]).default("turn"),
      strictAutoReview: z.boolean().nullish(),
    }),
  }),
  toolCall: method("item/tool/call", {
    summary: "Run a tool of the client",
    params: z.object({
      threadId: z.string(),
      turnId: z.string(),
      callId: z.string(),
      namespace: text,
      tool: z.string(),
      arguments: Json,
    }),
    result: z.object({ contentItems: z.array(ToolContent), success: z.boolean() }),
  }),
};
