/** How a connection begins. Nothing else is answered before. */
import { z } from "zod";
import { method, notification } from "../../rpc/index.ts";

const flag = z.boolean().nullish();

/** What a client says it can do; what it does not say it cannot. */
export const ClientCapabilities = z
  .object({
    experimentalApi: flag.describe("Take part in what is marked experimental."),
    requestAttestation: flag.describe("Ignored."),
    optOutNotificationMethods: z
      .array(z.string())
      .nullish()
      .describe("Names of notifications that are not to be sent."),
    extensions: z.record(z.string(), z.unknown()).nullish().describe("Ignored."),
    mcpServerOpenaiFormElicitation: flag.describe("Ignored."),
    explicitGatewayOauth: flag.describe("Ignored."),
  })
  .meta({ id: "ClientCapabilities", description: "What a client can do." });
export type ClientCapabilities = z.infer<typeof ClientCapabilities>;

export const sessionMethods = {
  initialize: method("initialize", {
    summary: "Begin; the first request of every connection",
    params: z.object({
      clientInfo: z.object({
        name: z.string(),
        title: z.string().nullish(),
        version: z.string(),
      }),
      capabilities: ClientCapabilities.nullish(),
    }),
    result: z.object({
      userAgent: z.string(),
      codexHome: z.string().describe("The home of this server, under the name that clients know."),
      platformFamily: z.string(),
      platformOs: z.string(),
      writ: z.object({ version: z.string() }),
    }),
  }),
  initialized: notification("initialized", {
    summary: "The client is ready; nothing waits for it",
    params: z.unknown(),
  }),
};
