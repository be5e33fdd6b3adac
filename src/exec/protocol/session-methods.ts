/** How a connection begins: a session is made, or taken up again after a drop. */
import { z } from "zod";
import { method, notification } from "../../rpc/index.ts";
import { EnvironmentDescription } from "./environment-methods.ts";

/** What this executor promises beyond the wire it shares with others. */
export const WritPromise = z
  .looseObject({
    version: z.literal(1),
    executorId: z.string().min(1).describe("The audience of signed intents."),
    enforces: z.literal(true).describe("An intent is enforced, or the start is refused."),
    waivers: z.enum(["allowed", "refused"]),
    signatures: z.enum(["accepted", "required", "unknown"]),
  })
  .meta({ id: "WritPromise", description: "What this executor promises." });
export type WritPromise = z.infer<typeof WritPromise>;

export const sessionMethods = {
  initialize: method("initialize", {
    summary: "Begin a session, or take one up again",
    params: z.object({ clientName: z.string(), resumeSessionId: z.string().nullish() }),
    result: z.object({
      sessionId: z.string(),
      environmentInfo: EnvironmentDescription.optional(),
      writ: WritPromise.optional(),
    }),
  }),
  initialized: notification("initialized", {
    summary: "The client is ready: everything else may be asked from now on",
    params: z.unknown(),
  }),
};
