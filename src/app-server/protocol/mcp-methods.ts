/** MCP servers of the configuration, as a thread has them. */
import { z } from "zod";
import { method } from "../../rpc/index.ts";
import { Json } from "./shapes/json.ts";
import { pageMembers } from "./shapes/page-members.ts";

const text = z.string().nullable();

const McpServerStatus = z
  .object({
    name: z.string(),
    runtimeStatus: z
      .enum([
        "notStarted",
        "starting",
        "connected",
        "authenticationRequired",
        "failed",
        "cancelled",
        "disabled",
      ])
      .nullable(),
    pluginId: z.null(),
    httpOrigin: text,
    serverInfo: z
      .object({
        name: z.string(),
        title: text,
        version: z.string(),
        description: text,
        icons: z.array(z.unknown()).nullable(),
        websiteUrl: text,
      })
      .nullable(),
    serverCapabilities: Json,
    toolListMeta: Json,
    tools: z.record(z.string(), z.looseObject({ name: z.string(), inputSchema: z.unknown() })),
    toolsError: text,
    resources: z.array(z.looseObject({ name: z.string(), uri: z.string() })),
    resourceTemplates: z.array(z.looseObject({ name: z.string(), uriTemplate: z.string() })),
    authStatus: z.enum(["unknown", "unsupported", "notLoggedIn", "bearerToken", "oAuth"]),
  })
  .meta({ id: "McpServerStatus", description: "One MCP server and what it offers." });

export const mcpMethods = {
  statusList: method("mcpServerStatus/list", {
    summary: "The MCP servers, and the tools of each",
    params: z.object({
      ...pageMembers,
      detail: z.enum(["full", "toolsAndAuthOnly"]).nullish(),
      threadId: z.string().nullish(),
      serverName: z.string().nullish(),
    }),
    result: z.object({ data: z.array(McpServerStatus), nextCursor: text }),
  }),
  toolCall: method("mcpServer/tool/call", {
    summary: "Call a tool for the user of a thread, under the policy of the thread",
    params: z.object({
      threadId: z.string(),
      server: z.string(),
      tool: z.string(),
      arguments: z.unknown().optional(),
      _meta: z.unknown().optional(),
    }),
    result: z.object({
      content: z.array(z.unknown()),
      structuredContent: z.unknown().optional(),
      isError: z.boolean().optional(),
      _meta: z.unknown().optional(),
    }),
  }),
};
